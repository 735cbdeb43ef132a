import { describe, expect, it } from 'vitest';
import { Agent, fetchArtifact } from '../../src/agent/index.ts';
import { openFakeBoard } from '../../src/board/index.ts';
import * as config from '../../src/config/index.ts';
import * as core from '../../src/core/index.ts';
import { Poller } from '../../src/poller/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { testRegistry } from '../../src/testing/index.ts';
import { EMPTY_PLAN } from './support/empty-plan.ts';

/* Names that JavaScript callers misspelt, each of which would have changed nothing (D313). */

const LATEST = { kind: 'latest' } as const;
const INDEX = core.indexReleases(['1.0.0']);
const DECIDE = {
  requirement: LATEST,
  list: { index: INDEX },
  deployed: core.readDeployed('1.0.0'),
  previous: undefined,
  quarantine: [],
  eligibility: { now: 0, platform: 'linux/arm64' },
  maxIndexAgeMs: 0,
  allowDowngrade: true,
  timing: {
    window: undefined,
    answer: undefined,
    isServerBusy: false,
    restarts: [],
    restartCooldownMs: 0,
    restartCeiling: 1,
  },
} as const;
const { terms } = config.DEFAULT_POLICY;
const PLAN: core.PlanInput = { ...EMPTY_PLAN, machine: machineOf('{"modules": []}') };
const POLLER = {
  file: openForPoller(':memory:'),
  configuration: async () => await Promise.reject(new Error('none')),
  registryFor: openRegistries().registryFor,
  platform: 'linux/arm64',
} as const;
const AGENT = { ...POLLER, home: '/nowhere', environment: {} };
const PLACE = { host: '127.0.0.1', port: 0 };
const ATTRIBUTES = { failNew: false, analogs: [], digitalInterrupts: [] };

function machineOf(text: string): core.PlanInput['machine'] {
  const machine = config.readMachine(text);
  if (!machine.ok) throw new Error('the machine of the test cannot be read');
  return machine.value;
}

const resolve = (eligibility: object): unknown =>
  core.resolve(LATEST, INDEX, { now: 0, ...eligibility });
const decide = (input: object): unknown => core.decide({ ...DECIDE, ...input });
const plan = (input: object): unknown => core.planMachine({ ...PLAN, ...input });
const planFor = (own: object): unknown =>
  plan({ policy: { ...config.DEFAULT_POLICY, terms: { ...terms, ...own } } });
const stateOf = (own: object): object => ({ list: DECIDE.list, deployed: DECIDE.deployed, ...own });
const fetching = async (options: object): Promise<unknown> =>
  await fetchArtifact({ platform: 'linux/arm64' }, '/nowhere/file', options);

const ROWS: readonly (readonly [string, () => unknown])[] = [
  [
    'resolve(): found "platfrom" in eligibility, expected "platform"',
    () => resolve({ platfrom: 'linux/arm64' }),
  ],
  [
    'resolve(): found "minimumAgee" in eligibility, expected "minimumAge"',
    () => resolve({ minimumAgee: {} }),
  ],
  [
    'resolve(): found "bysteps" in eligibility.minimumAge, expected "byStep"',
    () => resolve({ minimumAge: { ms: 5, unknown: 'refuse', bysteps: {} } }),
  ],
  [
    'resolve(): found "machineID" in eligibility.rollouts, expected "machineId"',
    () => resolve({ rollouts: { machineID: 'rover-7' } }),
  ],
  [
    'resolve(): found "deploed" in eligibility.floors, expected "deployed"',
    () => resolve({ floors: { deploed: undefined } }),
  ],
  [
    'resolve(): found "requireDigests" in eligibility.artifactRules, expected "requireDigest"',
    () => resolve({ artifactRules: { requireDigests: true, allowHttp: [] } }),
  ],
  [
    'explain(): found "al" in options, expected "all"',
    () => core.explain(core.resolve(LATEST, INDEX), { al: true } as object),
  ],
  [
    'indexReleases(): found "yankd" in the first release, expected "yanked"',
    () => core.indexReleases([{ version: '1.0.0', yankd: 'stops' } as core.ReleaseRecord]),
  ],
  [
    'pick(): found "deprecatd" in the first release, expected "deprecated"',
    () => core.pick([{ version: '1.0.0', deprecatd: '' } as core.ReleaseRecord], '1.*'),
  ],
  ['decide(): found "onYanked" in input, expected "onYank"', () => decide({ onYanked: 'replace' })],
  [
    'decide(): found "notafter" in input.eligibility, expected "notAfter"',
    () => decide({ eligibility: { ...DECIDE.eligibility, notafter: 0 } }),
  ],
  [
    'decide(): found "blackout" in input.timing, expected "blackouts"',
    () => decide({ timing: { ...DECIDE.timing, blackout: [] } }),
  ],
  [
    'planMachine(): found "machineID" in input, expected "machineId"',
    () => plan({ machineID: 'rover-7' }),
  ],
  [
    'planMachine(): found "groups" in input.policy, expected "group"',
    () => plan({ policy: { ...config.DEFAULT_POLICY, groups: 'lab' } }),
  ],
  [
    'planMachine(): found "minimumage" in input.policy.terms, expected "minimumAge"',
    () => planFor({ minimumage: { ms: 5, unknown: 'refuse' } }),
  ],
  [
    'planMachine(): found "quarantined" in the state of "cam", expected "quarantine"',
    () => plan({ modules: new Map([['cam', stateOf({ quarantined: [] })]]) }),
  ],
  [
    'planMachine(): found "restart" in the state of "platform-agent", expected "restarts"',
    () => plan({ subsystems: new Map([['platform-agent', stateOf({ restart: [] })]]) }),
  ],
  [
    'new Poller(): found "intervallMs" in options, expected "intervalMs"',
    () => new Poller({ ...POLLER, intervallMs: 5000 } as never),
  ],
  [
    'new Poller(): found "isMaintenanceAlowed" in options, expected "isMaintenanceAllowed"',
    () => new Poller({ ...POLLER, isMaintenanceAlowed: () => false } as never),
  ],
  [
    'new Agent(): found "machineID" in options, expected "machineId"',
    () => new Agent({ ...AGENT, machineID: 'rover-7' } as never),
  ],
  [
    'openRegistries(): found "isOfline" in options, expected "isOffline"',
    () => openRegistries({ isOfline: true } as object),
  ],
  [
    'open(): found "trusted" in terms, expected "trust"',
    () => openRegistries().open({ registry: '.', trusted: 'sha256:0' } as { registry: string }),
  ],
  [
    'fetchArtifact(): found "requiredigest" in options, expected "requireDigest"',
    async () => await fetching({ requiredigest: true }),
  ],
  [
    'openMachineFile(): found "modes" in options, expected "mode"',
    () => openMachineFile(':memory:', { modes: 'read' } as object),
  ],
  [
    'new Catalogue(): found "busyTimeOutMs" in options, expected "busyTimeoutMs"',
    () => new Catalogue(':memory:', { busyTimeOutMs: 5 } as object),
  ],
  [
    'serveRegistry(): found "tsl" in options, expected "tls"',
    async () => await serveRegistry(new Catalogue(':memory:'), PLACE, { tsl: {} } as object),
  ],
  [
    'openFakeBoard(): found "tickIntervalMS" in options, expected "tickIntervalMs"',
    () => openFakeBoard(ATTRIBUTES, { tickIntervalMS: 5 } as object),
  ],
  [
    'streamTicks(): found "capacty" in options, expected "capacity"',
    () => {
      const board = openFakeBoard(ATTRIBUTES);
      return board.ok && board.value.streamTicks([], { capacty: 5 } as object);
    },
  ],
  [
    'testRegistry(): found "adress" in options, expected "address"',
    () => testRegistry({}, { adress: 'https://registry.example' } as object),
  ],
  [
    'readMachine(): found "enviroment" in context, expected "environment"',
    () => config.readMachine('{}', { enviroment: {} } as object),
  ],
  [
    'readUpdatePolicy(): found "unknownfields" in context, expected "unknownFields"',
    () => config.readUpdatePolicy('{}', { unknownfields: 'warn' } as object),
  ],
];

describe('[D313]', () => {
  it.each(ROWS)('%s', async (message, call) => {
    const calling = async (): Promise<unknown> => await call();
    await expect(calling()).rejects.toThrow(new TypeError(message));
  });

  it('a name that is far from each known one is allowed: a compiler accepts wider objects', () => {
    expect(resolve({ requestedBy: 'ops', colour: 'red' })).toMatchObject({ kind: 'resolved' });
    expect(plan({ ticket: 'OPS-12' })).toMatchObject({ modules: [] });
  });

  it('a name with a word more or less is another name', () => {
    expect(resolve({ machineId: 'rover-7', nowMs: 5 })).toMatchObject({ kind: 'resolved' });
  });

  it('names of an object that another made are known', () => {
    const wider = Object.assign(Object.create({ platform: 'linux/arm64' }) as object, { now: 0 });
    expect(resolve(wider)).toMatchObject({ kind: 'resolved' });
  });

  it('a policy of configuration() is checked when it is read', async () => {
    const events: string[] = [];
    const policy = { ...config.DEFAULT_POLICY, terms: { ...terms, alowDowngrade: false } };
    const poller = new Poller({
      ...POLLER,
      file: openForPoller(':memory:'),
      configuration: () => ({ machine: PLAN.machine, policy }),
      onEvent: (event) => {
        if ('error' in event) events.push(String(event.error));
      },
    });
    poller.start();
    await poller.stop();
    expect(events).toEqual([
      'TypeError: configuration(): found "alowDowngrade" in configuration.policy.terms, expected "allowDowngrade"',
    ]);
  });
});
