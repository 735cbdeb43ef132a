import { expect, it } from 'vitest';
import type {
  FailingModule,
  ReportedModule,
  ReportedOutcome,
} from '../../src/registry/machine-report.ts';
import { printed, type Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { published } from '../support/published.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { tokenFor } from '../support/token.ts';

interface Told {
  readonly module?: Partial<ReportedModule>;
  readonly outcome?: Partial<ReportedOutcome>;
  readonly group?: string;
}

const FAILED = { to: '1.10.0', result: 'failed', reason: 'exit code 7: stalled at 12' } as const;
const LEFT = { direction: 'rollback', from: '1.10.0', to: '1.9.0' } as const;
const FULL: FailingModule = {
  version: '1.10.0',
  blame: 'machine',
  attempts: 4,
  reason: 'the disk is full',
  next_at: null,
};
const OLD = { deployed: '1.9.0' };

const MACHINES: Readonly<Record<string, Told>> = {
  'rover-1': { module: { deployed: '1.10.0' }, group: 'canary' },
  'rover-2': { module: OLD, outcome: FAILED },
  'rover-3': { module: OLD, outcome: { ...FAILED, reason: 'exit code 7: stalled at 15' } },
  'rover-4': { module: OLD, outcome: { ...FAILED, reason: 'no camera', undecided: true } },
  'rover-5': { module: { ...OLD, failing: FULL } },
  'rover-6': { module: OLD, outcome: LEFT },
  'rover-7': {
    module: { ...OLD, failing: { ...FULL, blame: 'release' } },
    outcome: { ...LEFT, result: 'withdrawn' },
  },
  'rover-8': { module: { deployed: 'none' } },
  'rover-9': {
    module: { module_id: 'other:arm', name: 'arm' },
    outcome: { ...FAILED, module_id: 'other:arm', to: '3.0.0' },
  },
};

type Run = (...args: readonly string[]) => Promise<Printed>;

/** Runs commands with a token of these scopes on a registry to which these machines have reported. */
async function registryWith(
  machines: Readonly<Record<string, Told>>,
  ...scopes: readonly string[]
): Promise<Run> {
  const { address, catalogue } = await loopbackRegistry();
  for (const [id, { module, outcome, group }] of Object.entries(machines)) {
    const state = { ...reportedState(1, module ?? {}), ...(group !== undefined && { group }) };
    const report = machineReport([1], { state });
    const outcomes = report.outcomes.map((one) => ({ ...one, ...outcome }));
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    const answer = await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...report, outcomes }),
    });
    expect(answer.status).toBe(200);
  }
  published({ catalogue }, 'acme:arm', '1.0.0', '2.0.0');
  const environment = { MODREG_TOKEN: tokenFor(catalogue, scopes, 'reader') };
  return async (...args) => {
    const ended = await printed([...args, '--registry', address], { environment });
    const plain = (line: string): string =>
      line.replace(/20\d\d-[^: ]+:\d\d:\d\d\.?\d*Z/, 'TIME').replaceAll(address, 'ADDRESS');
    return { ...ended, stdout: ended.stdout.map(plain), stderr: ended.stderr.map(plain) };
  };
}

const NEW = [
  'acme:lidar 1.10.0',
  '  runs on 1 machine (linux/arm64, group canary): rover-1',
  '  failed on 2 machines because of the release (linux/arm64, no group), last TIME: rover-3, rover-2',
  '    exit code 7: stalled at 15',
  '  failed on 1 machine as the version before it does (linux/arm64, no group), last TIME: rover-4',
  '    no camera',
  '  is tried again on 1 machine because of the machine (linux/arm64, no group): rover-5',
  '    the disk is full',
  '  was rolled back on 1 machine (linux/arm64, no group), last TIME: rover-6',
];
const EARLIER = [
  'acme:lidar 1.9.0',
  '  runs on 6 machines (linux/arm64, no group): rover-2, rover-3, rover-4, 3 more',
];

it.each<[readonly string[], readonly string[]]>([
  [['acme:lidar'], [...NEW, ...EARLIER]],
  [['acme:lidar', '1.10.0', '--since', '2h'], NEW],
  [['acme:lidar', '1.10.0', '--since', '90d'], NEW],
  [['acme:lidar', '1.9.0'], EARLIER],
  [
    ['acme:arm', '2.0.0'],
    ['no machine runs acme:arm 2.0.0, and none reported a failure of it in 30d'],
  ],
])('[D367] outcomes of %j by version, platform and group', async (args, expected) => {
  const run = await registryWith(MACHINES, 'outcomes:acme');
  expect(await run('registry', 'outcomes', ...args)).toEqual({
    stdout: expected,
    stderr: [],
    exit: 0,
  });
});

it.each([
  [
    ['acme:lidr'],
    'error[UNKNOWN_MODULE]: the registry ADDRESS has no module acme:lidr\nhint: namespace acme has 1 module: arm',
    3,
  ],
  [
    ['acme:amr', '2.0.0'],
    'error[UNKNOWN_MODULE]: the registry ADDRESS has no module acme:amr\n  did you mean acme:arm ?\nhint: namespace acme has 1 module: arm',
    3,
  ],
  [
    ['acme:arm', '2.0.1'],
    'error[UNKNOWN_VERSION]: acme:arm has no version 2.0.1\n  did you mean 2.0.0 ?\nhint: acme:arm has 2 releases: 2.0.0, 1.0.0',
    1,
  ],
])('[D490] the registry does not have %j', async (args, error, exit) => {
  const run = await registryWith(MACHINES, 'outcomes:acme');
  const ended = await run('registry', 'outcomes', ...args);
  expect([ended.stdout, ended.stderr.join('\n'), ended.exit]).toEqual([[], error, exit]);
});

it('[D490] of what the registry does not have, machines may report outcomes all the same', async () => {
  const run = await registryWith(MACHINES, 'outcomes:acme');
  const { stdout } = await run('registry', 'outcomes', 'acme:lidar', '1.9.0');
  expect(stdout).toEqual(EARLIER);
});

it('[D490] a token that may not read the list of a module is not told that there is none', async () => {
  const { address } = await plainServer((response, { url = '' }) => {
    if (url.includes('/outcomes'))
      send(response, { module_id: 'acme:arm', outcomes: [], left_out: 0 });
    else response.writeHead(403).end();
  });
  const { stdout, exit } = await printed(
    ['registry', 'outcomes', 'acme:arm', '--registry', address],
    { environment: { MODREG_TOKEN: 'x' } },
  );
  expect([stdout, exit]).toEqual([
    ['no machine runs acme:arm, and none reported a failure of it in 30d'],
    0,
  ]);
});

it('[D367] outcomes are JSON with up to 20 machines', async () => {
  const run = await registryWith(MACHINES, 'fleet:read');
  const { stdout } = await run('registry', 'outcomes', 'acme:lidar', '1.9.0', '--json');
  const machines = ['rover-2', 'rover-3', 'rover-4', 'rover-5', 'rover-6', 'rover-7'];
  expect(JSON.parse(stdout[0] ?? '')).toEqual({
    schema: 'modreg/registry-outcomes@1',
    module_id: 'acme:lidar',
    outcomes: [
      {
        version: '1.9.0',
        outcome: 'running',
        platform: 'linux/arm64',
        group: null,
        reason: null,
        last_at: null,
        machines: 6,
        first_machines: machines,
      },
    ],
    left_out: 0,
  });
});

it.each([
  [['registry', 'outcomes', 'other:arm'], 'outcomes:other'],
  [['registry', 'outcomes', 'acm:lidar'], 'outcomes:acm'],
  [['fleet', 'failures', 'other:arm'], 'outcomes:other'],
  [['fleet', 'failures', '--namespace', 'other'], 'outcomes:other'],
  [['fleet', 'failures'], 'fleet:read'],
  [['fleet', 'status'], 'fleet:read'],
  [['fleet', 'machines', '--module', 'acme:lidar'], 'fleet:read'],
])('[D368] a token with outcomes:acme lacks, for %j, %s', async (args, scope) => {
  const run = await registryWith({}, 'outcomes:acme');
  const { stderr, exit } = await run(...args);
  const refused = `error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): the token t1 (reader) does not have the scope ${scope}`;
  expect([stderr[0], exit]).toEqual([refused, 4]);
});

it.each([
  [
    ['--namespace', 'acme'],
    ['acme:lidar 1.10.0 on', 'acme:lidar 1.10.0 on'],
  ],
  [['acme:lidar'], ['acme:lidar 1.10.0 on', 'acme:lidar 1.10.0 on']],
  [['--namespace', 'acm'], []],
  [
    ['--namespace', 'other'],
    ['other:arm 3.0.0 on', 'other:arm 2.0.0 on'],
  ],
])('[D369] failures of %j are those of its modules', async (args, expected) => {
  const machines: Readonly<Record<string, Told>> = {
    'rover-1': { outcome: FAILED, module: { failing: FULL } },
    'rover-2': {
      outcome: { ...FAILED, module_id: 'other:arm', to: '3.0.0' },
      module: { module_id: 'other:arm', failing: { ...FULL, version: '2.0.0' } },
    },
  };
  const scopes = ['outcomes:acme', 'outcomes:acm', 'outcomes:other'];
  const run = await registryWith(machines, ...scopes);
  const { stdout } = await run('fleet', 'failures', ...args);
  const heads = stdout.flatMap((line) => /^\S+:\S+ \S+ on/.exec(line) ?? []);
  expect(heads).toEqual(expected);
});

it('[D369] an earlier registry, which answers all failures, shows those of no other namespace', async () => {
  const group = {
    version: '1.0.0',
    blame: 'release',
    reason: null,
    last_at: null,
    machines: 1,
    first_machines: ['rover-1'],
  };
  const failures = [
    { module_id: 'acme:lidar', ...group },
    { module_id: 'acmeother:arm', ...group },
  ];
  const { address } = await plainServer((response) => send(response, { failures, left_out: 0 }));
  const { stdout } = await printed(
    ['fleet', 'failures', '--namespace', 'acme', '--registry', address],
    { environment: { MODREG_TOKEN: 'x' } },
  );
  expect(stdout).toEqual([
    'acme:lidar 1.0.0 on 1 machine because of the release, will try again',
    '  no reason',
    '  rover-1',
  ]);
});

it.each([
  [
    ['registry', 'outcomes', 'acme:lidar', '--since', '91d'],
    'error[USAGE]: --since: found "91d", expected a duration from 1s to 90d',
  ],
  [['registry', 'outcomes', 'acme:lidar', '1.x'], 'error[BAD_VERSION]: "1.x" is not a version'],
  [
    ['fleet', 'failures', '--namespace', 'a:b'],
    'error[USAGE]: --namespace: "a:b" is not the namespace of a module, such as acme',
  ],
  [
    ['fleet', 'failures', 'acme:lidar', '--namespace', 'acme'],
    'error[USAGE]: --namespace and a module id: name one of both',
  ],
])('[D369] %j asks for nothing', async (args, message) => {
  const run = await registryWith({}, 'fleet:read');
  const { stderr, exit } = await run(...args);
  expect([stderr[0], exit]).toEqual([message, 2]);
});
