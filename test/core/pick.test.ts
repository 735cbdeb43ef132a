import { expect, it } from 'vitest';
import { pick, type ReleaseRecord } from '../../src/core/index.ts';

const RECORDS: readonly ReleaseRecord[] = [
  { version: '1.0.0' },
  { version: '1.1.0', yanked: 'loses points' },
];

it.each([
  [['1.9.0', '1.10.0', '2.0.0'], '1.*', '1.10.0'],
  [['1.9.0', '1.10.0'], '1.9.*', '1.9.0'],
  [['1.0.0+b', '1.0.0+a'], 'latest', '1.0.0+b'],
  [['1.0.0', '2.0.0-rc.1'], 'latest', '1.0.0'],
  [['1.0.0', '2.0.0-rc.1'], 'latest-with-prerelease', '2.0.0-rc.1'],
  [['1.0.0', '1.0.0+b'], '1.0.0+b', '1.0.0+b'],
  // Texts that are not versions are skipped.
  [['v3.0.0', 'nightly', '', '1.0.0'], 'latest', '1.0.0'],
  [['1.0.0'], '2.*', undefined],
  [[], 'latest', undefined],
  [new Set(['1.0.0', '1.1.0']), 'latest', '1.1.0'],
  [RECORDS, 'latest', '1.0.0'],
  [RECORDS, '1.1.0', '1.1.0'],
] as const)('pick(%j, %j) is %j', (versions, constraint, picked) => {
  expect(pick(versions, constraint)).toBe(picked);
});

it.each([
  ['^1.2.3', '"^1.2.3" is not a version constraint; did you mean 1.* ?'],
  ['', '"" is not a version constraint'],
  ['1.2.\u001b[31m', '"1.2.\\u{1b}[31m" is not a version constraint'],
])('a constraint that cannot be parsed is a RangeError: %j', (constraint, message) => {
  const error = expect.objectContaining({
    name: 'RangeError',
    message: `pick(): ${message}`,
    cause: expect.objectContaining({ kind: 'bad-constraint', text: constraint }),
  });
  expect(() => pick(['1.0.0'], constraint)).toThrow(error);
});
