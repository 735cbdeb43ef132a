import { describe, expect, it } from 'vitest';
import { readDeployedReport } from '../../src/config/index.ts';

describe('a report of deployed versions', () => {
  it.each([
    ['{}', {}],
    ['{"acme_lidar": "1.2.3"}', { acme_lidar: 'version' }],
    ['{"acme_lidar": null}', { acme_lidar: 'none' }],
    ['{"acme_lidar": "reload-1", "own": ""}', { acme_lidar: 'other', own: 'other' }],
    ['{"platform-server": "https://b.example/x"}', { 'platform-server': 'url' }],
    ['{"toString": "1.2.3"} // and a comment', { toString: 'version' }],
  ])('reads %s', (text, kinds) => {
    const read = readDeployedReport(text);
    const found = read.ok ? [...read.value].map(([name, { kind }]) => [name, kind]) : read.problems;
    expect(found).toEqual(Object.entries(kinds));
  });

  it.each([
    ['', '1:1 bad-json : expected a value'],
    ['[]', '1:1 bad-type : found a list, expected an object'],
    ['null', '1:1 bad-type : found null, expected an object'],
    [
      '{"a": 1.2}',
      '1:7 bad-type /a: found a number, expected a version as text, or null for an entry that is not deployed',
    ],
    [
      '{"a": {}}',
      '1:7 bad-type /a: found an object, expected a version as text, or null for an entry that is not deployed',
    ],
    ['{"a": "1.0.0", "a": "2.0.0"}', '1:16 duplicate-key /a: this key appears twice; see 1:2'],
    ['{"__proto__": "1.0.0"}', '1:2 forbidden-key /__proto__: no field can have this name'],
    ['{"a/b": "1.0.0"}', '1:2 bad-value : "a/b" is not a name: "/" at character 2 is not allowed'],
  ])('refuses %s', (text, expected) => {
    const { problems } = readDeployedReport(text);
    expect(
      problems.map(
        ({ line, column, kind, path, message }) => `${line}:${column} ${kind} ${path}: ${message}`,
      ),
    ).toEqual([expected]);
  });
});
