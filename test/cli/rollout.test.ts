import { expect, it } from 'vitest';
import { fileless } from '../support/fileless.ts';
import { printed, type Printed } from '../support/command.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';
import { tokenFor } from '../support/token.ts';

const HALF_HOUR = 1_800_000;
const RELEASE = ['acme:lidar', '1.3.0'];

interface Session {
  readonly fleet: RollingFleet;
  readonly run: (...args: readonly string[]) => Promise<Printed>;
}

/** Runs commands on a registry with machines. */
async function session(machines = 40): Promise<Session> {
  const fleet = await rollingFleet(machines);
  const scopes = ['publish', 'yank', 'rollout', 'fleet:read'];
  const environment = { MODREG_TOKEN: tokenFor(fleet.catalogue, scopes, 'cli') };
  const run: Session['run'] = async (...args) =>
    await printed([...args, '--registry', fleet.address()], { environment });
  return { fleet, run };
}

const TEXT = (stdout: readonly string[]): object => ({ stdout, stderr: [], exit: 0 });

it('publishes a release into a rollout, and shows its state', async () => {
  const { fleet, run } = await session();
  expect(await run('rollout', 'status')).toEqual(TEXT(['no release is or was in a rollout']));
  expect(await run('registry', 'publish', ...RELEASE, '--rollout', '--soak', '1h')).toEqual({
    ...TEXT(['acme:lidar: 1 published, 0 unchanged']),
    stderr: [fileless('1.3.0')],
  });
  expect(await run('rollout', 'status', ...RELEASE)).toEqual(
    TEXT([
      'acme:lidar 1.3.0: 0.1 %, includes 1 machine, then 5, 20, 50, 100 %',
      '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 1',
      '  next: a step in 1 h at the earliest',
    ]),
  );
  await fleet.turn();
  await fleet.pass(HALF_HOUR);
  expect((await run('rollout', 'status', ...RELEASE)).stdout).toEqual([
    'acme:lidar 1.3.0: 0.1 %, includes 1 machine, then 5, 20, 50, 100 %',
    '  installed 1: healthy 1, failed 0, silent 0, not known yet 0; waiting 0',
    '  next: a step in 30 min at the earliest',
  ]);
  const line = 'acme:lidar 1.3.0: running at 0.1 %';
  expect(await run('rollout', 'status')).toEqual(TEXT([line]));
  expect(await run('rollout', 'status', 'acme:lidar')).toEqual(TEXT([line]));
  expect(await run('rollout', 'status', 'acme:arm')).toEqual({
    stdout: ['no release of acme:arm is or was in a rollout'],
    stderr: [
      'warning[UNKNOWN_REFERENCE]: no machine has reported "acme:arm", and it is not published here',
      'hint: modules here: acme:lidar',
    ],
    exit: 0,
  });
});

it('does not publish a release again with another soak', async () => {
  const { fleet, run } = await session();
  const publish = ['registry', 'publish', ...RELEASE, '--rollout'];
  await run(...publish, '--soak', '2h');
  expect(await run(...publish, '--soak', '2h')).toEqual(
    TEXT(['acme:lidar: 0 published, 1 unchanged']),
  );
  expect((await run(...publish)).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0 already has a rollout with a soak of 2 h, not of 1 h, which does not change',
  ]);
  const db = ['--db', fleet.catalogue.path];
  expect(await printed([...publish, '--soak', '30m', ...db])).toEqual({
    stdout: [],
    stderr: [
      'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0 already has a rollout with a soak of 2 h, not of 30 min, which does not change; nothing was changed',
    ],
    exit: 1,
  });
  expect((await fleet.state())['soak_ms']).toBe(2 * 3_600_000);
});

it('says which machines with a failure are not in the step: a pinned one does not count', async () => {
  const { fleet, run } = await session();
  await run('registry', 'publish', ...RELEASE, '--rollout');
  const { outcomes, ...report } = machineReport([1], {
    state: reportedState(1, { constraint: '1.3.0' }),
  });
  const [outcome] = outcomes.map((one) =>
    Object.assign(one, { to: '1.3.0', result: 'failed', reason: 'motor stalled' }),
  );
  const token = tokenFor(fleet.catalogue, ['machine:rover-90'], 'rover-90');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...report, outcomes: [outcome] });
  const reports = `${fleet.address()}/v1/machines/rover-90/reports`;
  expect((await fetch(reports, { method: 'POST', headers, body })).status).toBe(200);
  expect((await run('rollout', 'status', ...RELEASE)).stdout.slice(1, 3)).toEqual([
    '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 1',
    '  rover-90, not in this step: "motor stalled"',
  ]);
});

it('halts by itself, and is resumed with the number of failures', async () => {
  const { fleet, run } = await session();
  await run('registry', 'publish', ...RELEASE, '--rollout');
  expect((await run('rollout', 'raise', ...RELEASE, '--to', '100')).stdout).toEqual([
    'acme:lidar 1.3.0: 100 %, includes 40 machines',
    '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 40',
    '  next: completed in 1 h at the earliest',
  ]);
  await fleet.turn((id) => (Number(id.slice(6)) <= 5 ? 'fails' : 'healthy'));
  await fleet.pass(1000);
  const { stdout } = await run('rollout', 'status', ...RELEASE);
  // On a slow machine, the registry counts once during the turn.
  expect(stdout.map((line) => line.replace(/5 of \d+ machines/, '5 of N machines'))).toEqual([
    'acme:lidar 1.3.0: halted at 100 %: 5 of N machines failed, lower bound above 1 %',
    '  installed 40: healthy 35, failed 5, silent 0, not known yet 0; waiting 0',
    '  rover-1: "motor stalled" (4 similar)',
    '  next: modreg rollout resume --failures 5 | retract',
  ]);
  expect(await run('rollout', 'resume', ...RELEASE, '--failures', '4')).toEqual({
    stdout: [],
    stderr: [
      'error[ROLLOUT_CONFLICT]: --failures is 4, but 5 machines failed or became silent',
      `hint: look at them with modreg rollout status --registry ${fleet.address()} acme:lidar 1.3.0, then pass --failures 5`,
    ],
    exit: 1,
  });
  const resumed = await run('rollout', 'resume', ...RELEASE, '--failures', '5', '--json');
  expect(JSON.parse(resumed.stdout[0] ?? '')).toMatchObject({
    schema: 'modreg/rollout@1',
    status: 'running',
    acknowledged: { failed: 5, silent: 0 },
  });
});

it('[D157, D158] halts after one machine of few, is resumed, and raised by who names the failures', async () => {
  const { fleet, run } = await session(5);
  await run('registry', 'publish', ...RELEASE, '--rollout');
  expect((await run('rollout', 'status')).stdout).toEqual(['acme:lidar 1.3.0: running at 20 %']);
  await fleet.turn(() => 'fails');
  await fleet.pass(1000);
  const [first = '', ...others] = (await run('rollout', 'status', ...RELEASE)).stdout;
  expect([first, others.at(-1)]).toEqual([
    'acme:lidar 1.3.0: halted at 20 %: the only machine of the step failed',
    '  next: modreg rollout resume --failures 1 | retract',
  ]);
  await run('rollout', 'resume', ...RELEASE, '--failures', '1');
  expect((await run('rollout', 'status')).stdout).toEqual([
    'acme:lidar 1.3.0: failing at 20 %, 1 failed',
  ]);
  const status = (await run('rollout', 'status', ...RELEASE)).stdout;
  expect([status[0], status.at(-1)]).toEqual([
    'acme:lidar 1.3.0: failing at 20 %, includes 1 machine, then 40, 80, 100 %',
    '  next: nothing by itself: 1 of 1 machine of the step failed, and none is healthy; modreg rollout halt | raise --failures 1',
  ]);
  expect((await run('rollout', 'raise', ...RELEASE, '--to', '80')).exit).toBe(0);
  const behaviours = ['fails', 'healthy'] as const;
  let begun = 0;
  await fleet.turn(() => behaviours[begun++] ?? 'healthy');
  expect(await run('rollout', 'raise', ...RELEASE)).toEqual({
    stdout: [],
    stderr: [
      'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0: 2 of its machines failed or became silent: look at them, then raise it with --failures 2',
    ],
    exit: 1,
  });
  expect((await run('rollout', 'raise', ...RELEASE, '--failures', '1')).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: --failures is 1, but 2 machines failed or became silent',
    `hint: look at them with modreg rollout status --registry ${fleet.address()} acme:lidar 1.3.0, then pass --failures 2`,
  ]);
  const raised = await run('rollout', 'raise', ...RELEASE, '--failures', '2');
  expect(raised.stdout[0]).toBe('acme:lidar 1.3.0: 100 %, includes 5 machines');
});

it('[T220] says that the release is yanked, and what to do first', async () => {
  const { run } = await session();
  await run('registry', 'publish', ...RELEASE, '--rollout');
  await run('rollout', 'halt', ...RELEASE, '--reason', 'too loud');
  await run('registry', 'yank', ...RELEASE, '--reason', 'stops the motor');
  expect(await run('rollout', 'status', ...RELEASE)).toEqual(
    TEXT([
      'acme:lidar 1.3.0: halted at 0.1 %: too loud',
      '  the release is yanked: stops the motor',
      '  installed 0: healthy 0, failed 0, silent 0, not known yet 0; waiting 1',
      '  next: modreg registry unyank, then modreg rollout resume --failures 0 | retract',
    ]),
  );
  expect(await run('rollout', 'status')).toEqual(
    TEXT(['acme:lidar 1.3.0: halted at 0.1 %, yanked']),
  );
  expect((await run('rollout', 'resume', ...RELEASE, '--failures', '0')).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0: the release is yanked: unyank it first; its rollout stays halted until it is resumed',
  ]);
});

it('starts for a yanked release, halts and retracts it', async () => {
  const { run } = await session();
  await run('registry', 'publish', ...RELEASE);
  expect((await run('rollout', 'start', ...RELEASE)).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0: machines could already select it: a rollout begins with the publication, or with a yanked release',
  ]);
  await run('registry', 'yank', ...RELEASE);
  expect(await run('rollout', 'start', ...RELEASE, '--soak', '2h')).toEqual(
    TEXT(['acme:lidar 1.3.0: 0.1 % now (1 machine), 100 % in 8 h at the earliest']),
  );
  expect((await run('rollout', 'start', ...RELEASE)).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0: it has a rollout already, which is running; a release has only one: publish another version',
  ]);
  const halted = await run('rollout', 'halt', ...RELEASE, '--reason', 'too loud');
  expect(halted.stdout[0]).toBe('acme:lidar 1.3.0: halted at 0.1 %: too loud');
  const retracted = await run('rollout', 'retract', ...RELEASE, '--reason', 'for good');
  expect(retracted.stdout[0]).toBe('acme:lidar 1.3.0: retracted at 0.1 %: for good');
  expect((await run('rollout', 'start', ...RELEASE)).stderr).toEqual([
    'error[ROLLOUT_CONFLICT]: acme:lidar 1.3.0: it has a rollout already, which is retracted; a release has only one: publish another version',
  ]);
});

it.each<[readonly string[], string]>([
  [
    ['status', 'acme:lidar', '1.2.9'],
    'error[UNKNOWN_ROLLOUT]: acme:lidar 1.2.9 is not published, or not in a rollout',
  ],
  [
    ['halt', 'acme:lidar', '9.0.0'],
    'error[UNKNOWN_ROLLOUT]: acme:lidar 9.0.0 is not published, or not in a rollout',
  ],
  [['status', 'lidar'], 'error[BAD_MODULE_ID]: "lidar" is not a module id'],
  [
    ['start', 'acme:lidar', '1.2.9', '--soak', 'long'],
    'error[USAGE]: --soak: "long" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
  ],
  [
    ['raise', 'acme:lidar', '1.2.9', '--to', 'all'],
    'error[USAGE]: --to is "all", expected a whole number from 1 to 100',
  ],
  [
    ['raise', 'acme:lidar', '1.2.9', '--to', '0'],
    'error[USAGE]: --to is "0", expected a whole number from 1 to 100',
  ],
  [
    ['raise', 'acme:lidar', '1.2.9', '--to', '101'],
    'error[USAGE]: --to is "101", expected a whole number from 1 to 100',
  ],
  [
    ['resume', 'acme:lidar', '1.2.9'],
    'error[USAGE]: --failures is missing: pass how many machines failed or became silent, as modreg rollout status shows it',
  ],
  [
    ['resume', 'acme:lidar', '1.2.9', '--failures', 'abc'],
    'error[USAGE]: --failures is "abc", expected a whole number from 0 to 9999999',
  ],
  [
    ['resume', 'acme:lidar', '1.2.9', '--failures', '-1'],
    'error[USAGE]: --failures is "-1", expected a whole number from 0 to 9999999',
  ],
])('%j is refused', async (args, message) => {
  const { run } = await session(1);
  expect((await run('rollout', ...args)).stderr[0]).toBe(message);
});

it('status shows the answer of modreg 0.2.0, which does not name a yank', async () => {
  const machines = { waiting: 0, installing: 0, healthy: 3, failed: 1, silent: 0 };
  const { address } = await plainServer((response) => {
    send(response, {
      module_id: 'acme:lidar',
      version: '1.3.0',
      status: 'halted',
      sequence: 4,
      percent: 20,
      share: 0.2,
      because: 'by hand',
      soak_ms: 3_600_000,
      included: 4,
      machines,
      failures: [{ machine: 'rover-1', reason: 'motor stalled' }],
      next: { step: 'wait' },
    });
  });
  const environment = { MODREG_TOKEN: 'modreg_x' };
  const status = ['rollout', 'status', ...RELEASE, '--registry', address];
  expect(await printed(status, { environment })).toEqual(
    TEXT([
      'acme:lidar 1.3.0: halted at 20 %: by hand',
      '  installed 4: healthy 3, failed 1, silent 0, not known yet 0; waiting 0',
      '  rover-1: "motor stalled"',
      '  next: modreg rollout resume --failures 1 | retract',
    ]),
  );
});
