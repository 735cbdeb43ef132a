import { expect, it } from 'vitest';
import { cohort } from '../../src/core/rollout/cohort.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { pageAt } from '../support/pages.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { published } from '../support/published.ts';
import { lidarReport, type LidarMachine } from '../support/reported-facts.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;

/** Times of requests differ from run to run. */
function masked(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/ 20\d\d-\S+Z/g, ' TIME'));
}

/** Runs commands on a registry to which machines have reported. */
async function fleetWith(
  machines: Readonly<Record<string, Partial<ReportedModule>>>,
): Promise<(...args: readonly string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, 'acme:lidar', '1.2.8');
  published({ catalogue }, 'acme:lidar', '1.2.9');
  for (const [id, module] of Object.entries(machines)) {
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    const state = { ...reportedState(1, module), at: new Date().toISOString() };
    const answer = await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(machineReport([1], { state })),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { known_to: 1 }]);
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  return async (...args) => {
    const all = ['fleet', ...args, '--registry', address];
    const ended = await printed(all, { environment, clock: () => NOW });
    return { ...ended, stdout: masked(ended.stdout), stderr: masked(ended.stderr) };
  };
}

it('status counts machines by version and decision', async () => {
  const stuck = { deployed: '1.2.8', decision: 'stuck', reason: 'no list' };
  const fleet = await fleetWith({ 'rover-1': {}, 'rover-2': {}, 'rover-3': stuck });
  expect(await fleet('status')).toEqual({
    stdout: [
      '3 machines, 3 seen in 24 h',
      '3 machines without a pin: what they run needs no signature',
      '',
      '  MODULE       DEPLOYED   MACHINES   DECISIONS',
      '  acme:lidar   1.2.8      1          stuck 1',
      '  acme:lidar   1.2.9      2          up to date 2',
      '',
    ],
    stderr: [],
    exit: 0,
  });
  const { stdout } = await fleet('status', '--json');
  const counts = { machines: 3, duplicates: 0, without_pin: 3 };
  expect(JSON.parse(stdout[0] ?? '')).toMatchObject({ schema: 'modreg/fleet-status@1', ...counts });
});

it('[D79] status and machines say what has been held for longer than a week', async () => {
  const held = { deployed: '1.2.8', target: '1.2.9', decision: 'hold' };
  const fleet = await fleetWith({ 'r-1': { ...held, held_over_a_week: true }, 'r-2': held });
  const line = 'held for over a week: acme:lidar 1.2.8, 1 machine';
  expect((await fleet('status')).stdout.at(-1)).toBe(line);
  const { stdout } = await fleet('machines');
  const ends = stdout.map((one) => one.endsWith('  waiting for over a week'));
  expect(ends).toEqual([false, true, false]);
});

it.each([
  ['status', 'fleet', 'status'],
  ['rollout status', 'rollout', 'status', 'acme:lidar', '1.2.9'],
])('%s says why the registry refuses a token', async (_title, ...args) => {
  const { address } = await loopbackRegistry();
  const environment = { MODREG_TOKEN: 'revoked-token' };
  expect(await printed([...args, '--registry', address], { environment })).toMatchObject({
    stderr: [
      `error[REGISTRY_REFUSED]: the registry ${address} denies access with the token that was sent (401): this registry did not create the token`,
    ],
  });
});

it('machines lists those that match', async () => {
  const stuck = { deployed: '1.2.8', decision: 'stuck', reason: 'no list' };
  const fleet = await fleetWith({ 'rover-1': {}, 'rover-2': {}, 'rover-3': stuck });
  const head = '  MACHINE   SEEN                       STATE    MODULE       DEPLOYED   DECISION';
  expect((await fleet('machines', '--stuck')).stdout).toEqual([
    head,
    '  rover-3   TIME   online   acme:lidar   1.2.8      stuck: no list',
  ]);
  const hasMore = async (limit: number): Promise<unknown> => {
    const { stdout, stderr } = await fleet('machines', '--limit', `${limit}`, '--json');
    expect(stderr).toEqual([]);
    return JSON.parse(stdout[0] ?? '').has_more;
  };
  const some = await fleet(
    'machines',
    '--module',
    'acme:lidar',
    '--version',
    '1.2.9',
    '--limit',
    '1',
  );
  expect([some.stdout, some.stderr]).toEqual([
    [head, '  rover-1   TIME   online   acme:lidar   1.2.9      up to date'],
    ['note: there are more: --limit is 1'],
  ]);
  expect((await fleet('machines', '--module', 'acme:cam')).stdout).toEqual(['no machine matches']);
  expect(await Promise.all([1, 3].map(async (limit) => await hasMore(limit)))).toEqual([
    true,
    false,
  ]);
  const none = await fleet('machines', '--version', 'unknown');
  expect([none.stdout, none.stderr]).toEqual([['no machine matches'], []]);
  expect((await fleet('machines', '--limit', '0')).stderr).toEqual([
    'error[USAGE]: --limit: 0 is not a number from 1 to 100000',
  ]);
});

it.each<[string, LidarMachine, string, string]>([
  ['takes the newest release of 1', {}, '1.4.0', 'now upgrade lidar0 nav'],
  ['is pinned to a minor', { constraint: '1.2.*' }, '1.4.0', 'never minor 4 is not 2'],
  ['is pinned', { constraint: '1.2.9' }, '1.4.0', 'never not 1.2.9'],
  ['takes another major', { constraint: '1.*' }, '2.0.0', 'never major 2 is not 1'],
  [
    'waits for its window',
    { window: '0 2 * * *' },
    '1.4.0',
    '2026-11-22T02:00:00Z upgrade lidar0 nav',
  ],
  [
    'waits for the minimum age',
    { minimumAgeMs: DAY },
    '1.4.0',
    '2026-11-22T12:00:00Z upgrade lidar0 nav',
  ],
  ['has nothing yet', { deployed: 'none' }, '1.4.0', 'now install'],
  ['has it already', {}, '1.2.9', 'never has it already'],
  ['has an older version', { deployed: '1.2.8' }, '1.2.9', 'now upgrade lidar0 nav'],
  ['has a newer choice', {}, '1.2.5', 'never older than 1.2.9'],
  ['had it, and it failed', { quarantine: '1.4.0' }, '1.4.0', 'never quarantined on this machine'],
])('what-if of a machine that %s: %j, %s', async (_title, machine, version, expected) => {
  const { deployed = '1.2.9' } = machine;
  const module = { ...lidarReport({ ...machine, deployed }, NOW) };
  const fleet = await fleetWith({ 'rover-1': module, 'rover-2': module });
  const { stdout, stderr } = await fleet('what-if', 'acme:lidar', version, '--json');
  expect(stderr).toEqual([]);
  const { groups } = JSON.parse(stdout[0] ?? '');
  expect(groups).toHaveLength(1);
  const [{ when, at, direction, stops, because, machines }] = groups;
  expect(machines).toEqual(['rover-1', 'rover-2']);
  expect([at ?? when, because ?? direction, ...stops].join(' ')).toBe(expected);
});

it('what-if shows machines with the same effect in a line', async () => {
  const fleet = await fleetWith({
    'rover-1': lidarReport({}, NOW),
    'rover-2': lidarReport({ platform: 'linux/amd64' }, NOW),
    'rover-3': lidarReport({ constraint: '1.2.*' }, NOW),
    'rover-4': { facts: null },
  });
  const { stdout } = await fleet('what-if', 'acme:lidar', '1.4.0');
  expect(pageAt('docs/fleet.md').text).toContain(
    `$ modreg fleet what-if acme:lidar 1.4.0\n${stdout.join('\n')}\n`,
  );
  expect(stdout).toEqual([
    'acme:lidar 1.4.0 (not published): 2 of 4 machines would get it',
    '',
    '  WHEN    MACHINES              DEPLOYED   CONSTRAINT   WHAT',
    '  now     2: rover-1, rover-2   1.2.9      1.*          upgrade, stops lidar0, nav',
    '  never   1: rover-3            1.2.9      1.2.*        minor 4 is not 2',
    '  never   1: rover-4            1.2.9      1.*          the machine does not report its policy',
  ]);
});

it('machines that differ in nothing but their ids report the same, and a rollout places each by its id (D49)', async () => {
  const [report, other] = ['rover-1', 'rover-2'].map((id) => lidarReport({ id }, NOW));
  expect(other).toEqual(report);
  const ids = Array.from({ length: 8 }, (_none, place) => `rover-${place}`);
  const rollout = { salt: 's1', percent: 50, share: 0.5 };
  const { address } = await plainServer((response, { url = '' }) => {
    const states = [{ state: { ...report, platform: 'linux/arm64' }, machines: ids }];
    if (url.includes('/fleet/')) send(response, { module_id: 'acme:lidar', states, next: null });
    else send(response, listOf(['1.2.9', { version: '1.3.0', rollout }], 1));
  });
  const args = ['fleet', 'what-if', 'acme:lidar', '1.3.0', '--json', '--registry', address];
  const { stdout } = await printed(args, {
    environment: { MODREG_TOKEN: 'modreg_x' },
    clock: () => NOW,
  });
  const groups = JSON.parse(stdout[0] ?? '').groups as { when: string; machines: string[] }[];
  const included = groups.flatMap(({ when, machines }) => (when === 'now' ? machines : []));
  expect(included.length).toBeGreaterThan(0);
  expect(included).toEqual(ids.filter((id) => cohort(id, 's1') < 0.5));
});

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const HOSTED = `../../artifacts/sha256/${'ab'.repeat(32)}`;

it.each([
  ['a release', (release: object) => release],
  ['a list', (release: object) => [{ version: '1.3.9' }, release]],
  ['a module document', (release: object) => ({ module_id: 'acme:lidar', releases: [release] })],
])('what-if of a release that %s describes is for its platforms', async (_what, file) => {
  const artifacts = [{ platform: 'linux/arm64', url: HOSTED, digest: DIGEST, size: 7 }];
  const path = `${temporaryFolder({
    'release.json': JSON.stringify(file({ version: '1.4.0', artifacts })),
  })}/release.json`;
  const fleet = await fleetWith({
    'rover-1': lidarReport({}, NOW),
    'rover-2': lidarReport({ platform: 'linux/amd64' }, NOW),
  });
  expect(await fleet('what-if', 'acme:lidar', '1.4.0', '--release', path)).toEqual({
    stdout: [
      'acme:lidar 1.4.0 (not published): 1 of 2 machines would get it',
      '',
      '  WHEN    MACHINES     DEPLOYED   CONSTRAINT   WHAT',
      '  now     1: rover-1   1.2.9      1.*          upgrade, stops lidar0, nav',
      '  never   1: rover-2   1.2.9      1.*          no artifact for linux/amd64; published for linux/arm64',
    ],
    stderr: [],
    exit: 0,
  });
});

it.each([
  [
    '1.4.0',
    [{ version: '1.3.0' }, { version: '1.3.1' }],
    'error[BAD_VALUE]: "FILE": it has 1.3.0, 1.3.1, expected a release 1.4.0',
  ],
  ['1.4.0', [], 'error[BAD_VALUE]: "FILE": it is empty, expected a release 1.4.0'],
  ['1.4.0', { version: '1.4' }, 'error[BAD_VALUE]: "FILE": release 1 of 1: /version: "1.4" is not'],
  [
    '1.2.9',
    { version: '1.2.9' },
    'error[ALREADY_PUBLISHED]: acme:lidar 1.2.9 is published, and --release describes a release that is not',
  ],
])('what-if %s of the file %j: %s', async (version, content, message) => {
  const path = `${temporaryFolder({ 'r.json': JSON.stringify(content) })}/r.json`;
  const fleet = await fleetWith({ 'rover-1': {} });
  const args = ['what-if', 'acme:lidar', version, '--release', path];
  const { stdout, stderr, exit } = await fleet(...args);
  const first = stderr[0]?.replace(path, 'FILE').slice(0, message.length);
  expect([stdout, first, exit]).toEqual([[], message, 1]);
});

it.each([
  [
    ['status', '--registry', './registry'],
    'error[USAGE]: the registry is a path, expected the address of a server',
  ],
  [
    ['status', '--registry', 'npm:https://r.test'],
    'error[BAD_ADDRESS]: modreg cannot read reports of npm registries',
  ],
  [
    ['status', '--registry', 'http://r.test'],
    'error[BAD_ADDRESS]: the registry http://r.test is reached by plain http:, and others could read the token',
  ],
  [['status'], 'error[NO_REGISTRY]: no registry is named that machines report to'],
  [['what-if', 'lidar', '1.4.0'], 'error[BAD_MODULE_ID]: "lidar" is not a module id'],
  [['machines', '--module', 'a b'], 'error[BAD_MODULE_ID]: "a b" is not a module id'],
  [['machines', '--version', '1.*'], 'error[BAD_VERSION]: "1.*" is not a version'],
  [['what-if', 'acme:lidar', '1.4'], 'error[BAD_VERSION]: "1.4" is not a version'],
])('%j: %s', async (args, message) => {
  expect((await printed(['fleet', ...args])).stderr[0]).toContain(message);
});

it.each([
  ['fleet status', {}],
  [
    'fleet status',
    { machines: 1, seen_in_24h: 1, duplicates: 0, missing_outcomes: 0, modules: [{}] },
  ],
  [
    'rollout status acme:lidar 1.3.0',
    { module_id: 'acme:lidar', version: '1.3.0', status: 'running' },
  ],
])('%s refuses the answer %j', async (command, body) => {
  const { address } = await plainServer((response) => send(response, body));
  const { stdout, stderr, exit } = await printed([...command.split(' '), '--registry', address], {
    environment: { MODREG_TOKEN: 'modreg_x' },
  });
  expect([stdout, stderr[0], exit]).toEqual([
    [],
    'error[NOT_A_REGISTRY]: the registry answered without the fields that its OpenAPI document has',
    4,
  ]);
});
