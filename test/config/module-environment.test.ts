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
  // The document may have been checked with an older policy than moduleEnvironment gets.
  const env_allow = ['PLATFORM_API_KEY', 'PLATFORM_PART_ID'];
  const policy = value(readUpdatePolicy(JSON.stringify({ env_allow })));
  const [read] = value(readMachine(JSON.stringify({ modules }), { policy })).modules;
  if (!read) throw new Error('no module was read');
  return read;
}

type ModuleContext = Parameters<typeof moduleEnvironment>[1];

const CONTEXT: ModuleContext = {
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
    expect(moduleEnvironment(entry({}), CONTEXT)).toEqual({
      ok: true,
      value: {
        PLATFORM_HOME: '/home/robot/.platform',
        PLATFORM_MODULE_ROOT: '/opt/modules/acme_lidar/1.2.9',
        PLATFORM_MODULE_DATA: '/home/robot/.platform/module-data/rover-7/acme_lidar/',
        PLATFORM_MODULE_ID: 'acme:lidar',
      },
    });
  });

  it('has no PLATFORM_MODULE_ROOT for a local module', () => {
    expect(moduleEnvironment(entry({ type: 'local' }), CONTEXT)).toEqual({
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
      'PLATFORM_HOME takes precedence over HOME',
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
      'a PLATFORM_HOME may be the root folder',
      { environment: { PLATFORM_HOME: '//' } },
      {},
      { PLATFORM_HOME: '/' },
    ],
    [
      'an empty PLATFORM_HOME is ignored',
      { environment: { HOME: '/root', PLATFORM_HOME: '' } },
      {},
      { PLATFORM_HOME: '/root/.platform' },
    ],
    [
      'the env of a local module may set PLATFORM_MODULE_ROOT',
      {},
      { type: 'local', env: { PLATFORM_MODULE_ROOT: '${environment.HOME}/dev' } },
      { PLATFORM_MODULE_ROOT: '/home/robot/dev' },
    ],
    [
      'the env of an entry overrides the defaults',
      {},
      { env: { PLATFORM_MODULE_DATA: '/data', MODE: 'field' } },
      { PLATFORM_MODULE_DATA: '/data', MODE: 'field' },
    ],
    [
      'a variable that is set to empty text is empty',
      {},
      { env: { A: '[${environment.EMPTY}]' } },
      { A: '[]' },
    ],
    [
      'a secret that the policy allows is passed to the module',
      { envAllow: ['PLATFORM_API_KEY'] },
      { env: { KEY: '${environment.PLATFORM_API_KEY}' } },
      { KEY: 'key' },
    ],
  ])('%s', (_title, context, fields, expected) => {
    const environment = moduleEnvironment(entry(fields), { ...CONTEXT, ...context });
    expect(environment).toMatchObject({ ok: true, value: expected });
  });

  it.each<[string, Partial<ModuleContext>, object, readonly object[]]>([
    [
      '[T15] variables that are not set, and reports all of them',
      {},
      { env: { A: '${environment.NOPE}', B: '${environment.HOME}${environment.__proto__}' } },
      [
        { kind: 'unset-variable', variable: 'NOPE', reader: 'A' },
        { kind: 'unset-variable', variable: '__proto__', reader: 'B' },
      ],
    ],
    [
      '[T16] agent secrets that the policy does not allow',
      { envAllow: ['PLATFORM_API_KEY'] },
      { env: { A: '${environment.PLATFORM_API_KEY}', B: '${environment.PLATFORM_PART_ID}' } },
      [{ kind: 'forbidden-variable', variable: 'PLATFORM_PART_ID', reader: 'B' }],
    ],
    [
      'a missing HOME and PLATFORM_HOME',
      { environment: {} },
      {},
      [{ kind: 'unset-variable', variable: 'HOME', reader: 'PLATFORM_HOME' }],
    ],
  ])('is refused for %s', (_title, context, fields, error) => {
    expect(moduleEnvironment(entry(fields), { ...CONTEXT, ...context })).toEqual({
      ok: false,
      error,
    });
  });

  it.each(['../x', '', 'a/b', '..'])('throws for the machine id %j', (machineId) => {
    expect(() => moduleEnvironment(entry({}), { ...CONTEXT, machineId })).toThrow(
      new RangeError(`"${machineId}" is not a single path segment`),
    );
  });

  it('[T15] contains the exact bytes of each variable, expanded once', () => {
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
        const context = { ...CONTEXT, environment: { HOME: '/', A: a, B: b } };
        const environment = moduleEnvironment(entry(fields), context);
        expect(environment.ok && environment.value['OUT']).toBe([text, a, text, b, a].join(''));
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });
});

it('[T16] a secret is refused wherever a value reads it', () => {
  const env = { A: '${environment.HOME}:${environment.PLATFORM_API_KEY}' };
  expect(moduleEnvironment(entry({ env }), CONTEXT)).toEqual({
    ok: false,
    error: [{ kind: 'forbidden-variable', variable: 'PLATFORM_API_KEY', reader: 'A' }],
  });
});

const VALUES = new Map([
  ['acme_lidar PAIR A', 'a ${environment.HOME}'],
  ['acme_lidar PAIR B', '$& ${secret.A}'],
]);

const secretOf: ModuleContext['secretOf'] = ({ name }, reader, secret) =>
  VALUES.get(`${name} ${reader} ${secret}`);

it.each<[string, string, Partial<ModuleContext>, string]>([
  [
    'are put in, and are not expanded again',
    '${secret.A}+${secret.B} ${secret.',
    { secretOf },
    'a ${environment.HOME}+$& ${secret.A} ${secret.',
  ],
  [
    'are not what a variable of the agent names',
    '${environment.OTHER}',
    { secretOf, environment: { HOME: '/root', OTHER: '${secret.A}' } },
    '${secret.A}',
  ],
  ['stay as they are written where no site is followed', '${secret.A}', {}, '${secret.A}'],
])('[D361] secrets in env %s', (_what, PAIR, context, found) => {
  const environment = moduleEnvironment(entry({ env: { PAIR } }), { ...CONTEXT, ...context });
  expect(environment).toMatchObject({ ok: true, value: { PAIR: found } });
});

it('[D361] [T760] secrets without a value are errors of the variables that read them', () => {
  const env = { PAIR: '${secret.A}', OTHER: 'x${secret.A}', LAST: '${secret.constructor}' };
  expect(moduleEnvironment(entry({ env }), { ...CONTEXT, secretOf })).toEqual({
    ok: false,
    error: [
      { kind: 'missing-secret', variable: 'A', reader: 'OTHER' },
      { kind: 'missing-secret', variable: 'constructor', reader: 'LAST' },
    ],
  });
});
