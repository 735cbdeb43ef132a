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
      '/modules/0/executable_path',
      '/modules/0/log',
      '/modules/1/executable_path',
      '/modules/1/log',
    ]);
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
