import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { carriedOut } from '../../src/host/served/carried-out.ts';
import { day, HOUR, MINUTE, type Day } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { NIGHTLY } from '../support/restarts.ts';

const WHO = 'site https://site.example, ann';

/** A machine that was upgraded from 1.2.3 to 1.2.9, with this policy afterwards. */
async function upgraded(policy: object): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    policy: { restart_cooldown: '0s' },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.9' }] },
    intervalMs: 10 * MINUTE,
  });
  await machine.pass(HOUR);
  await machine.deliveries.shift()?.done();
  machine.configure({ policy });
  await machine.pass(HOUR);
  return machine;
}

/** What the site has the machine do, and the next round. */
async function commanded(machine: Day, kind: 'restart' | 'rollback'): Promise<void> {
  const { home, clock } = machine;
  const world = {
    ...quietWorld('linux/arm64'),
    environment: { PLATFORM_HOME: home },
    clock: () => clock.now(),
  };
  const command = {
    kind,
    number: 1,
    module: 'acme:lidar',
    for: null,
    version: null,
    reason: 'it burns',
    by: 'ann',
    expires_at: '2026-11-22T00:00:00Z',
  };
  const done = await carriedOut(command, {
    origin: 'https://site.example',
    isPinned: false,
    world,
  });
  expect(done.result).toBe('done');
  await machine.pass(10 * MINUTE);
}

/** The lines of `why` and `status` that name the site, without times. */
async function linesOf(machine: Day): Promise<readonly string[]> {
  const lines = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await ask(machine, ...args)).answer.map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
  const all = [...(await lines('why', 'acme:lidar')), ...(await lines('status'))];
  return all
    .filter((line) => line.includes('site.example'))
    .map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z(?: \([^)]*\))?/g, 'TIME'));
}

const RESTART = `${WHO} requested a restart at TIME: "it burns"`;

it('[D424] why and status say who on the site requested a restart, and why', async () => {
  const machine = await upgraded(NIGHTLY);
  await commanded(machine, 'restart');
  expect(await linesOf(machine)).toEqual([
    `TIME | held the restart of 1.2.9: the maintenance window is closed until TIME; ${RESTART}; ${WHO} requested a restart`,
    `acme:lidar | 1.2.* | 1.2.9 | 1.2.9 | 1.2.9 | waiting | the maintenance window is closed until TIME; ${RESTART}`,
  ]);
  const { answer } = await ask(machine, 'status', '--json');
  const { targets } = JSON.parse(answer[0] ?? '') as { targets: { restart_request: object }[] };
  expect(targets[0]?.restart_request).toMatchObject({ by: WHO, reason: 'it burns' });
});

it.each([
  ['restart', 'ann requested a restart'],
  ['rollback', 'ann rolled 1.2.9 back'],
])('[D424] why says who ran modreg %s', async (command, cause) => {
  const machine = await upgraded({ ...NIGHTLY, restart_cooldown: '0s' });
  const { home, clock } = machine;
  const environment = { PLATFORM_HOME: home, USER: 'ann' };
  const world = { ...quietWorld('linux/arm64'), environment, clock: () => clock.now() };
  await runCommandLine([command, 'acme:lidar'], world);
  await machine.pass(10 * MINUTE);
  const { answer } = await ask(machine, 'why', 'acme:lidar', '-n', '1');
  expect(answer[0]?.split('; ').at(-1)).toBe(cause);
});

const BACK = `rolled back by ${WHO}: "it burns"`;

it('[D424] why and status say who on the site rolled back, and why', async () => {
  const machine = await upgraded({ restart_cooldown: '0s' });
  await commanded(machine, 'rollback');
  expect(await linesOf(machine)).toEqual([
    `TIME | decided to roll back 1.2.9 → 1.2.3: 1.2.9 was ${BACK}; 1.2.3 was deployed before it; ${WHO} rolled 1.2.9 back`,
    `acme:lidar | 1.2.* | 1.2.9 | 1.2.3 | 1.2.9 | rollback | 1.2.9 was ${BACK}; 1.2.3 was deployed before it`,
    `acme:lidar | 1.2.9 | TIME | an operator lifts it | ${BACK}`,
  ]);
});
