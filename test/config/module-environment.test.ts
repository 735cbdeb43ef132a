import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  moduleEnvironment,
  readMachine,
  readUpdatePolicy,
  type ModuleEntry,
} from '../../src/config/index.ts';
import { value } from '../support/reading.ts';
import { RUNS } from '../support/runs.ts';

function entry(fields: object): ModuleEntry {
  const document = { type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', ...fields };
  const modules = [{ version: '1.*', ...document }];
  // The document may be written for a policy that is not in force any more.
  const env_allow = ['PLATFORM_API_KEY', 'PLATFORM_PART_ID'];
  const policy = value(readUpdatePolicy(JSON.stringify({ env_allow })));
  const [read] = value(readMachine(JSON.stringify({ modules }), { policy })).modules;
  if (!read) throw new Error('no module was read');
  return read;
}

type ModuleContext = Parameters<typeof moduleEnvironment>[1];

const GROUND: ModuleContext = {
  environment: {
    HOME: '/home/robot',
    EMPTY: '',
    PLATFORM_API_KEY: 'key',
    PLATFORM_PART_ID: 'part',
  },
  machineId: 'rover-7',
  moduleRoot: '/opt/modules/acme_lidar/1.2.9',
  envAllow: [],
};

describe('the environment of a module', () => {
  it('has the default variables', () => {
    expect(moduleEnvironment(entry({}), GROUND)).toEqual({
      ok: true,
      value: {
        PLATFORM_HOME: '/home/robot/.platform',
        PLATFORM_MODULE_ROOT: '/opt/modules/acme_lidar/1.2.9',
        PLATFORM_MODULE_DATA: '/home/robot/.platform/module-data/rover-7/acme_lidar/',
        PLATFORM_MODULE_ID: 'acme:lidar',
      },
    });
  });

  it('of a local module has no root', () => {
    expect(moduleEnvironment(entry({ type: 'local' }), GROUND)).toEqual({
      ok: true,
      value: {
        PLATFORM_HOME: '/home/robot/.platform',
        PLATFORM_MODULE_DATA: '/home/robot/.platform/module-data/rover-7/acme_lidar/',
        PLATFORM_MODULE_ID: 'acme:lidar',
      },
    });
  });

  it.each<[string, Partial<ModuleContext>, object, Readonly<Record<string, string>>]>([
    [
      'PLATFORM_HOME, where it is set, wins over HOME',
      { environment: { HOME: '/root', PLATFORM_HOME: '/srv/platform' } },
      {},
      {
        PLATFORM_HOME: '/srv/platform',
        PLATFORM_MODULE_DATA: '/srv/platform/module-data/rover-7/acme_lidar/',
      },
    ],
    [
      'a PLATFORM_HOME may end with slashes',
      { environment: { PLATFORM_HOME: '/srv//' } },
      {},
      { PLATFORM_HOME: '/srv', PLATFORM_MODULE_DATA: '/srv/module-data/rover-7/acme_lidar/' },
    ],
    [
      'an empty PLATFORM_HOME is none',
      { environment: { HOME: '/root', PLATFORM_HOME: '' } },
      {},
      { PLATFORM_HOME: '/root/.platform' },
    ],
    [
      'a local module has the root that its env sets',
      {},
      { type: 'local', env: { PLATFORM_MODULE_ROOT: '${environment.HOME}/dev' } },
      { PLATFORM_MODULE_ROOT: '/home/robot/dev' },
    ],
    [
      'the env of an entry wins',
      {},
      { env: { PLATFORM_MODULE_DATA: '/data', MODE: 'field' } },
      { PLATFORM_MODULE_DATA: '/data', MODE: 'field' },
    ],
    ['what is set and empty is empty', {}, { env: { A: '[${environment.EMPTY}]' } }, { A: '[]' }],
    [
      'a secret that the policy allows is handed over',
      { envAllow: ['PLATFORM_API_KEY'] },
      { env: { KEY: '${environment.PLATFORM_API_KEY}' } },
      { KEY: 'key' },
    ],
  ])('%s', (_what, ground, fields, expected) => {
    const environment = moduleEnvironment(entry(fields), { ...GROUND, ...ground });
    expect(environment).toMatchObject({ ok: true, value: expected });
  });

  it.each<[string, Partial<ModuleContext>, object, readonly object[]]>([
    [
      '[T15] variables that are not set, all of them',
      {},
      { env: { A: '${environment.NOPE}', B: '${environment.HOME}${environment.__proto__}' } },
      [
        { kind: 'unset-variable', variable: 'NOPE', reader: 'A' },
        { kind: 'unset-variable', variable: '__proto__', reader: 'B' },
      ],
    ],
    [
      '[T16] secrets of the agent',
      { envAllow: ['PLATFORM_API_KEY'] },
      { env: { A: '${environment.PLATFORM_API_KEY}', B: '${environment.PLATFORM_PART_ID}' } },
      [{ kind: 'forbidden-variable', variable: 'PLATFORM_PART_ID', reader: 'B' }],
    ],
    [
      'no home at all',
      { environment: {} },
      {},
      [{ kind: 'unset-variable', variable: 'HOME', reader: 'PLATFORM_HOME' }],
    ],
  ])('does not come about for %s', (_what, ground, fields, error) => {
    expect(moduleEnvironment(entry(fields), { ...GROUND, ...ground })).toEqual({
      ok: false,
      error,
    });
  });

  it.each(['../x', '', 'a/b', '..'])('is for no machine with the id %j', (machineId) => {
    expect(() => moduleEnvironment(entry({}), { ...GROUND, machineId })).toThrow(
      new RangeError(`"${machineId}" is not a single path segment`),
    );
  });

  it('[T15] has the exact bytes of each variable, once', () => {
    const bytes = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('$&', '$$', '$1', "$'", '${environment.A}', '${environment.B}', '\\', '\n'),
    );
    const literal = fc.string().filter((text) => !text.includes('$'));
    fc.assert(
      fc.property(bytes, bytes, literal, (a, b, text) => {
        const fields = {
          env: { OUT: `${text}\${environment.A}${text}\${environment.B}\${environment.A}` },
        };
        const ground = { ...GROUND, environment: { HOME: '/', A: a, B: b } };
        const environment = moduleEnvironment(entry(fields), ground);
        expect(environment.ok && environment.value['OUT']).toBe([text, a, text, b, a].join(''));
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });
});
