import { expect, it } from 'vitest';
import { fileless } from '../support/fileless.ts';
import { printed, type Printed } from '../support/command.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';
import { tokenFor } from '../support/token.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { lidarReport } from '../support/reported-facts.ts';

const HOUR = 3_600_000;
const RELEASE = ['acme:lidar', '1.3.0'];
const FORM =
  'a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit';
const GROUPS = new Map([
  ['rover-1', 'canary'],
  ['rover-2', 'canary'],
  ['rover-3', 'lab'],
]);

const clock = (): number => Date.parse('2026-11-21T01:02:03Z');

type Run = (...args: readonly string[]) => Promise<Printed>;

/** Runs commands on a registry with five machines, of which two are canaries and one is in the laboratory. */
async function session(): Promise<{ readonly fleet: RollingFleet; readonly run: Run }> {
  const fleet = await rollingFleet(5, 'reported', GROUPS);
  const scopes = ['publish', 'yank', 'rollout', 'fleet:read'];
  const environment = { MODREG_TOKEN: tokenFor(fleet.catalogue, scopes, 'cli') };
  const run: Run = async (...args) =>
    await printed([...args, '--registry', fleet.address()], { environment, clock });
  return { fleet, run };
}

it('[D107] publishes into a rollout with groups first, and shows each stage', async () => {
  const { fleet, run } = await session();
  expect(
    await run('registry', 'publish', ...RELEASE, '--rollout', '--first', 'canary, lab'),
  ).toEqual({
    stdout: ['acme:lidar: 1 published, 0 unchanged'],
    stderr: [fileless('1.3.0')],
    exit: 0,
  });
  const status = async (): Promise<unknown> => (await run('rollout', 'status', ...RELEASE)).stdout;
  expect(await status()).toEqual([
    'acme:lidar 1.3.0: group canary, 1 of 2 groups, includes 2 machines',
    '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 2',
    '  next: a step in 1 h at the earliest',
  ]);
  expect((await run('rollout', 'status')).stdout).toEqual([
    'acme:lidar 1.3.0: running at group canary',
  ]);
  await fleet.pass(HOUR);
  expect(await status()).toEqual([
    'acme:lidar 1.3.0: group canary, 1 of 2 groups, includes 2 machines',
    '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 2',
    '  next: a step when 2 machines are healthy, now 0',
  ]);
  expect((await run('rollout', 'raise', ...RELEASE)).stdout).toEqual([
    'acme:lidar 1.3.0: group lab, 2 of 2 groups, includes 3 machines',
    '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 3',
    '  next: a step in 1 h at the earliest',
  ]);
  expect((await run('rollout', 'halt', ...RELEASE)).stdout[0]).toBe(
    'acme:lidar 1.3.0: halted at group lab',
  );
  expect(JSON.parse((await run('rollout', 'status', '--json')).stdout[0] ?? '')).toMatchObject({
    rollouts: [{ percent: 0, share: 0, first: ['canary', 'lab'], groups: ['canary', 'lab'] }],
  });
});

it('[D107] starts the rollout of a yanked release with groups first', async () => {
  const { run } = await session();
  await run('registry', 'publish', ...RELEASE);
  await run('registry', 'yank', ...RELEASE);
  expect(await run('rollout', 'start', ...RELEASE, '--first', 'canary,lab')).toEqual({
    stdout: [
      'acme:lidar 1.3.0: group canary now (2 machines), then lab, 100 % in 3 h at the earliest',
    ],
    stderr: [],
    exit: 0,
  });
});

it.each([
  [
    'canary,office',
    'no machine that reported is in the group office; there are canary (2), lab (1)',
  ],
  ['Canary', 'no machine that reported is in the group Canary; there are canary (2), lab (1)'],
])('[T400] refuses --first %s, over HTTP and in the file', async (first, message) => {
  const { fleet, run } = await session();
  const publish = ['registry', 'publish', ...RELEASE, '--rollout', '--first', first];
  expect(await run(...publish)).toEqual({
    stdout: [],
    stderr: [`error[ROLLOUT_CONFLICT]: ${message}`],
    exit: 1,
  });
  expect(await printed([...publish, '--db', fleet.catalogue.path])).toEqual({
    stdout: [],
    stderr: [`error[ROLLOUT_CONFLICT]: ${message}; nothing was changed`],
    exit: 1,
  });
  expect(await fleet.listed()).toEqual({});
});

it('[T400] a machine that is retired is in no group', async () => {
  const { run } = await session();
  await run('fleet', 'retire', 'rover-3');
  const publish = ['registry', 'publish', ...RELEASE, '--rollout', '--first', 'lab'];
  expect((await run(...publish)).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: no machine that reported is in the group lab; there are canary (2)',
  ]);
});

it('[T400] a file to whose server no machine reported has no group', async () => {
  const { fleet } = await session();
  const db = `${fleet.catalogue.path}-other.db`;
  const publish = ['registry', 'publish', ...RELEASE, '--rollout', '--first', 'lab'];
  expect((await printed([...publish, '--db', db, '--create'])).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: no machine that reported is in the group lab; none of them is in a group: name it in the policy or in the credentials file of its machines; nothing was changed',
  ]);
});

it('[D107] begins in the file of a registry as over HTTP', async () => {
  const { fleet, run } = await session();
  const publish = ['registry', 'publish', ...RELEASE, '--rollout', '--first', 'lab'];
  await printed([...publish, '--db', fleet.catalogue.path]);
  expect((await run('rollout', 'status', ...RELEASE)).stdout[0]).toBe(
    'acme:lidar 1.3.0: group lab, 1 of 1 groups, includes 1 machine',
  );
  expect((await run(...publish)).stdout).toEqual(['acme:lidar: 0 published, 1 unchanged']);
});

it.each([
  [['--rollout', '--first', ''], `--first: "" is not ${FORM}; several are separated by commas`],
  [
    ['--rollout', '--first', 'canary,,lab'],
    `--first: "" is not ${FORM}; several are separated by commas`,
  ],
  [
    ['--rollout', '--first', 'canary lab'],
    `--first: "canary lab" is not ${FORM}; several are separated by commas`,
  ],
  [['--rollout', '--first', 'lab,canary,lab'], '--first names the group lab twice'],
  [
    ['--rollout', '--first', Array.from({ length: 17 }, (_, place) => `g${place}`).join()],
    '--first names 17 groups, expected at most 16',
  ],
  [['--first', 'canary'], '--first is given without --rollout: pass both, or neither'],
])('%j: %s', async (options, message) => {
  const { stderr } = await printed(['registry', 'publish', ...RELEASE, ...options]);
  expect(stderr[0]).toBe(`error[USAGE]: ${message}`);
});

it('fleet status and machines know the groups', async () => {
  const { run } = await session();
  const { stdout } = await run('fleet', 'status');
  expect(stdout.slice(0, 4)).toEqual([
    '5 machines, 5 seen in 24 h',
    '5 machines without a pin: what they run needs no signature',
    'group canary: 2 machines, 2 seen in 24 h',
    'group lab: 1 machine, 1 seen in 24 h',
  ]);
  expect(JSON.parse((await run('fleet', 'status', '--json')).stdout[0] ?? '')).toMatchObject({
    groups: [
      { group: 'canary', machines: 2, seen_in_24h: 2 },
      { group: 'lab', machines: 1, seen_in_24h: 1 },
    ],
  });
  const listed = await run('fleet', 'machines', '--group', 'canary', '--json');
  const { machines } = JSON.parse(listed.stdout[0] ?? '') as {
    machines: readonly { readonly id: string; readonly group: string }[];
  };
  expect(machines.map(({ id, group }) => [id, group])).toEqual([
    ['rover-1', 'canary'],
    ['rover-2', 'canary'],
  ]);
  expect((await run('fleet', 'machines', '--group', 'office')).stdout).toEqual([
    'no machine matches',
  ]);
  expect((await run('fleet', 'machines', '--group', 'a b')).stderr).toEqual([
    `error[USAGE]: --group: "a b" is not ${FORM}`,
  ]);
});

it('machines --group leaves out what an earlier registry answers, which knows no groups', async () => {
  const { address } = await plainServer((response) =>
    send(response, { machines: [{ id: 'rover-1', modules: [] }], next: null }),
  );
  const args = ['fleet', 'machines', '--group', 'canary', '--registry', address];
  const environment = { MODREG_TOKEN: 'modreg_x' };
  expect((await printed(args, { environment })).stdout).toEqual(['no machine matches']);
});

it('[D107] what-if places each machine by its group', async () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const rollout = { salt: 's1', percent: 0, share: 0, groups: ['canary', 'lab'] };
  const { address } = await plainServer((response, { url = '' }) => {
    const state = { ...lidarReport({}, now), platform: 'linux/arm64' };
    const machines = ['constructor', 'rover-1', 'rover-2', 'rover-3'];
    const groups = [
      { group: 'canary', machines: ['rover-1'] },
      { group: 'office', machines: ['rover-3'] },
    ];
    const states = [{ state, machines, groups }];
    if (url.includes('/fleet/')) send(response, { module_id: 'acme:lidar', states, next: null });
    else send(response, listOf(['1.2.9', { version: '1.3.0', rollout }], 1));
  });
  const args = ['fleet', 'what-if', 'acme:lidar', '1.3.0', '--registry', address];
  const environment = { MODREG_TOKEN: 'modreg_x' };
  expect((await printed(args, { environment, clock: () => now })).stdout).toEqual([
    'acme:lidar 1.3.0: 4 of 4 machines would get it',
    '',
    '  WHEN              MACHINES                           DEPLOYED   CONSTRAINT   WHAT',
    '  now               1: rover-1                         1.2.9      1.*          upgrade, stops lidar0, nav',
    '  in a later step   3: constructor, rover-2, rover-3   1.2.9      1.*          not in rollout: the groups canary, lab first',
  ]);
});
