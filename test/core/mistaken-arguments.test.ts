import { expect, it } from 'vitest';
import * as config from '../../src/config/index.ts';
import * as core from '../../src/core/index.ts';
import { Poller } from '../../src/poller/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { testRegistry } from '../../src/testing/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { EMPTY_PLAN } from './support/empty-plan.ts';

/* What authors of agents passed in JavaScript, and what they are told. */

const LIDAR = moduleId('acme:lidar');
const INDEX = core.indexReleases(['1.0.0']);
const LATEST = { kind: 'latest' } as const;
/** What `decide()` takes, without an eligibility. */
const DECIDE = {
  requirement: LATEST,
  list: { index: INDEX },
  deployed: { kind: 'none' },
  previous: undefined,
  quarantine: [],
  timing: {},
};
const aged = (ms: number): core.Eligibility => ({ now: 0, minimumAge: { ms, unknown: 'refuse' } });
const LIST = 'expected a ModuleList: { index } of indexReleases(), or { error }';

/** Plans a machine whose only module has this list. */
function planned(list: unknown): core.Plan {
  const machine = config.readMachine(
    '{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "1.*"}]}',
  );
  return core.planMachine({
    ...EMPTY_PLAN,
    machine: machine.ok && machine.value,
    modules: new Map([['cam', { list, deployed: core.readDeployed('1.0.0') }]]),
  } as never);
}

/** Publishes a release at `now`. */
function published(now: unknown): unknown {
  const release = readRelease({ version: '1.0.0' });
  return new Catalogue(':memory:').publish(
    LIDAR,
    (release.ok && release.value) as never,
    now as never,
  );
}

/** Creates a poller. */
function polling(options: object = {}): Poller {
  return new Poller({
    file: openForPoller(':memory:'),
    configuration: () => Promise.reject(new Error('none')),
    registryFor: () => openRegistries().registryFor({ registry: '.' }),
    platform: 'linux/arm64',
    ...options,
  });
}

async function delivered(signal: unknown): Promise<unknown> {
  return await polling()
    .deliveries(signal as never)
    .next();
}

const registryAt = (
  registry: string,
): ReturnType<ReturnType<typeof openRegistries>['registryFor']> =>
  openRegistries().registryFor({ registry });

const AT = ['./releases', './site.db', 'https://registry.example'];

it.each<[string, () => unknown]>([
  [`planMachine(): found an object as list of "cam", ${LIST}`, () => planned(INDEX)],
  [`planMachine(): found an object as list of "cam", ${LIST}`, () => planned({ index: ['1.0.0'] })],
  [`planMachine(): found nothing as list of "cam", ${LIST}`, () => planned(undefined)],
  [
    'planMachine(): found an object as input.machine, expected the value of readMachine()',
    () => core.planMachine({ ...EMPTY_PLAN, machine: { modules: [] } } as never),
  ],
  [
    'publish(): found a Result as release, expected the value of readRelease()',
    () => new Catalogue(':memory:').publish(LIDAR, readRelease({ version: '1.0.0' }) as never, 0),
  ],
  [
    'indexReleases(): found the boolean false as the first release.yanked, expected the reason as text, or nothing if it is not yanked',
    () => core.indexReleases([{ version: '1.0.0', yanked: false as never }]),
  ],
  [
    'indexReleases(): found "2026-01-01" as the first release.publishedAt, expected milliseconds since the epoch, or nothing',
    () => core.indexReleases([{ version: '1.0.0', publishedAt: '2026-01-01' as never }]),
  ],
  [
    'pick(): found the number 1 as the first release, expected text or a record with a version',
    () => core.pick([1 as never], '1.*'),
  ],
  [
    'indexReleases(): found null as releases, expected an iterable of versions or of records with a version',
    () => core.indexReleases(null as never),
  ],
  ...AT.map((at): [string, () => unknown] => [
    'read(): found a list as moduleId, expected a ModuleId of parseModuleId()',
    async () => await registryAt(at).read([LIDAR] as never),
  ]),
  [
    'openMachineFile(): found "readonly" as options.mode, expected create, write, read, inspect or nothing',
    () => openMachineFile(`${temporaryFolder({})}/machine.db`, { mode: 'readonly' as never }),
  ],
  [
    'new Catalogue(): found "creat" as options.mode, expected create, write, read or nothing',
    () => new Catalogue(`${temporaryFolder({})}/registry.db`, { mode: 'creat' as never }),
  ],
  [
    'new Catalogue(): found "create" as options, expected an object',
    () => new Catalogue(`${temporaryFolder({})}/registry.db`, 'create' as never),
  ],
  [
    'new Catalogue(): found "5s" as options.busyTimeoutMs, expected whole milliseconds from 0 or nothing',
    () => new Catalogue(':memory:', { busyTimeoutMs: '5s' as never }),
  ],
  [
    'openMachineFile(): found "read" as options, expected an object',
    () => openMachineFile(`${temporaryFolder({})}/machine.db`, 'read' as never),
  ],
  [
    'publish(): found an object as now, expected milliseconds since the epoch, in the years 0000 to 9999 of UTC',
    () => published(new Date(0)),
  ],
  [
    'publish(): found nothing as now, expected milliseconds since the epoch, in the years 0000 to 9999 of UTC',
    () => published(undefined),
  ],
  [
    'readUpdatePolicy(): found "ignore" as context.unknownFields, expected error, warn or nothing',
    () => config.readUpdatePolicy('{}', { unknownFields: 'ignore' as never }),
  ],
  [
    'readMachine(): found "600" as context.mode, expected a number or nothing',
    () => config.readMachine('{}', { mode: '600' as never }),
  ],
  [
    'resolve(): found "linux/riscv" as eligibility.platform, expected a Platform of parsePlatform() or nothing',
    () => core.resolve('1.*', ['1.0.0'], { now: 0, platform: 'linux/riscv' as never }),
  ],
  [
    'describeDecision(): found an object as decision, expected a Decision of decide()',
    () => core.describeDecision({ kind: 'replaced' } as never),
  ],
  [
    'testRegistry(): found "1.0.0" as the releases of "acme:lidar", expected an array',
    () => testRegistry({ 'acme:lidar': '1.0.0' as never }),
  ],
  [
    'new Poller(): found the number 5 as options.machineId, expected text or nothing',
    () => polling({ machineId: 5 }),
  ],
  [
    'deliveries(): found an object as signal, expected an AbortSignal or nothing',
    async () => await delivered({}),
  ],
  [
    'deliveries(): found an object as signal, expected an AbortSignal or nothing',
    async () => await delivered({ addEventListener: () => undefined }),
  ],
  ...AT.map((at): [string, () => unknown] => [
    'read(): found an object as signal, expected an AbortSignal or nothing',
    async () => await registryAt(at).read(LIDAR, new AbortController() as never),
  ]),
  ...AT.map((at): [string, () => unknown] => [
    'readAll(): found "acme:lidar" as moduleIds, expected an array',
    async () => await registryAt(at).readAll(LIDAR as never),
  ]),
])('[D464] %s', async (message, call) => {
  const calling = async (): Promise<unknown> => await call();
  await expect(calling()).rejects.toThrow(new TypeError(message));
});

it.each<[string, () => unknown]>([
  [
    'publish(): found the number NaN as now, expected milliseconds since the epoch, in the years 0000 to 9999 of UTC',
    () => published(Number.NaN),
  ],
  [
    'openMachineFile(): found the number 0.5 as options.busyTimeoutMs, expected whole milliseconds from 0 or nothing',
    () => openMachineFile(':memory:', { busyTimeoutMs: 0.5 }),
  ],
  [
    'openRegistries(): found the number -1 as options.maxAgeMs, expected milliseconds from 0 or nothing',
    () => openRegistries({ maxAgeMs: -1 }),
  ],
  ...[Infinity, Number.NaN, 9e15].flatMap((now): [string, () => unknown][] => [
    [
      `resolve(): found the number ${now} as eligibility.now, expected milliseconds since the epoch`,
      () => core.resolve('1.*', ['1.0.0'], { now }),
    ],
    [
      `resolve(): found the number ${now} as eligibility.now, expected milliseconds since the epoch`,
      () => core.resolve(LATEST, INDEX, { now }),
    ],
    [
      `decide(): found the number ${now} as input.eligibility.now, expected milliseconds since the epoch`,
      () => core.decide({ ...DECIDE, eligibility: { now } } as never),
    ],
  ]),
  ...[-1e12, Number.NaN].flatMap((ms): [string, () => unknown][] => [
    [
      `resolve(): found the number ${ms} as eligibility.minimumAge.ms, expected milliseconds from 0`,
      () => core.resolve('1.*', ['1.0.0'], aged(ms)),
    ],
    [
      `resolve(): found the number ${ms} as eligibility.minimumAge.ms, expected milliseconds from 0`,
      () => core.resolve(LATEST, INDEX, aged(ms)),
    ],
    [
      `decide(): found the number ${ms} as input.eligibility.minimumAge.ms, expected milliseconds from 0`,
      () => core.decide({ ...DECIDE, eligibility: aged(ms) } as never),
    ],
  ]),
])('[D464] out of range: %s', (message, call) => {
  expect(call).toThrow(new RangeError(message));
});

it.each<[string, unknown]>([
  ['the number 5', 5],
  ['"7d"', '7d'],
  ['an object', { ms: '7d', unknown: 'refuse' }],
  ['an object', { ms: 5 }],
  ['null', null],
])('a minimum age has a unit and a rule for an unknown age: not %s', (found, minimumAge) => {
  const eligibility = { now: 0, minimumAge } as never;
  const message = (as: string): string =>
    `found ${found} as ${as}.minimumAge, expected { ms, unknown } with milliseconds and refuse or allow, or nothing`;
  expect(() => core.resolve(LATEST, INDEX, eligibility)).toThrow(
    new TypeError(`resolve(): ${message('eligibility')}`),
  );
  expect(() => core.decide({ ...DECIDE, eligibility } as never)).toThrow(
    new TypeError(`decide(): ${message('input.eligibility')}`),
  );
});

it('a list that could not be read is a list of planMachine()', () => {
  const error = { kind: 'registry-unreachable', message: 'no network' };
  expect(planned({ error }).modules[0]?.decision.kind).toBe('stuck');
});
