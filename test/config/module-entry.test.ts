import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMachine } from '../../src/config/index.ts';
import { formatConstraint } from '../../src/core/index.ts';
import { ROOT } from '../support/modreg.ts';
import { value } from '../support/reading.ts';

const GOOD = join(ROOT, 'test/fixtures/documents/good');

describe('a module entry', () => {
  it('keeps the fields of a module entry that modreg does not know, for the agent', () => {
    const extra = { executable_path: '/opt/tool', log: { level: 'debug' } };
    const modules = [
      { type: 'local', name: 'tool', module_id: 'acme:tool', version: 'any', ...extra },
      { type: 'registry', name: 'arm', module_id: 'acme:arm', version: '1.*', ...extra },
    ];
    const read = readMachine(JSON.stringify({ modules }));
    expect(value(read).modules.map((entry) => entry.extra)).toEqual([extra, extra]);
    const unknown = read.problems.filter(({ kind }) => kind === 'unknown-field');
    expect(unknown.map(({ path }) => path)).toEqual([
      '/modules/0/log',
      '/modules/1/executable_path',
      '/modules/1/log',
    ]);
  });

  it.each<[object, string[]]>([
    [{ executable_path: '/opt/tool' }, []],
    [{}, []],
    [
      { executable_path: 'opt/tool' },
      [
        'no-program /modules/0/executable_path found "opt/tool", expected an absolute path; modreg agent run does not start the module',
      ],
    ],
    [
      { executable_path: ['/opt/tool'] },
      [
        'no-program /modules/0/executable_path found a list, expected an absolute path; modreg agent run does not start the module',
      ],
    ],
    [
      { executible_path: '/opt/tool' },
      ['unknown-field /modules/0/executible_path unknown field; did you mean executable_path?'],
    ],
    [
      { type: 'registry', version: '1.*', executable_path: 'opt/tool' },
      ['unknown-field /modules/0/executable_path unknown field'],
    ],
  ])('[D345] the program of a local module: %j', (fields, found) => {
    const local = {
      type: 'local',
      name: 'tool',
      module_id: 'acme:tool',
      version: 'any',
      ...fields,
    };
    const { problems, errors } = readMachine(JSON.stringify({ modules: [local] }));
    const told = problems
      .filter(({ kind }) => kind !== 'unused-module')
      .map(({ kind, path, message, suggestion }) => {
        const meant = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
        return `${kind} ${path} ${message}${meant}`;
      });
    expect([told, errors]).toEqual([found, 0]);
  });

  it('keeps every kind of constraint', () => {
    const machine = value(readMachine(readFileSync(join(GOOD, 'machine/every-version-type.json'))));
    const constraints = machine.modules.map((entry) =>
      entry.type === 'registry' ? formatConstraint(entry.constraint) : entry.type,
    );
    expect(constraints).toEqual([
      '1.2.3',
      '0.0.0',
      '1.2.3-rc.1',
      '1.2.3+build.5',
      '1.2.3-0.x-y+001',
      '1.2.*',
      '0.0.*',
      '1.*',
      '0.*',
      'latest',
      'latest-with-prerelease',
      '9007199254740991.0.0',
    ]);
  });

  it('accepts any version of a local module, and ignores it', () => {
    const machine = value(readMachine(readFileSync(join(GOOD, 'machine/local-modules.json'))));
    expect(machine.modules).toEqual(
      [0, 1, 2, 3].map((at) => ({
        type: 'local',
        name: `m${at}`,
        moduleId: `acme:m${at}`,
        env: {},
        extra: {},
      })),
    );
  });
});
