import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { day, HOUR, SECOND, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';

/** A machine that has `deployed`, for which an operator has requested a restart that its poller has not seen. */
async function restarting(deployed: string): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: deployed },
    releases: { 'acme:lidar': [{ version: '1.0.0' }, { version: '1.1.0' }] },
  });
  await machine.pass(HOUR);
  const environment = { PLATFORM_HOME: machine.home };
  await printed(['restart', 'acme:lidar'], { environment, clock: () => machine.clock.now() });
  return machine;
}

async function rolledBack({ home, clock }: Day): Promise<readonly string[]> {
  const world = { environment: { PLATFORM_HOME: home }, clock: () => clock.now() };
  const { stdout, stderr } = await printed(['rollback', 'acme:lidar'], world);
  return [...stdout, ...stderr];
}

it('[D404] a restart that is requested is no rollback to the deployed version', async () => {
  const machine = await restarting('1.0.0');
  expect(await rolledBack(machine)).toEqual([
    'error[NO_MATCH]: acme:lidar cannot be rolled back from 1.0.0: no lower release may be selected; nothing was changed',
    '  because no lower release is published',
    'hint: pin the version that should run',
  ]);
  expect(machine.state.memory().quarantine).toEqual([]);
});

it('[D404] a rollback restarts the module, so no restart follows it', async () => {
  const machine = await restarting('1.1.0');
  expect(await rolledBack(machine)).toEqual([
    'acme:lidar rolls back from 1.1.0 to 1.0.0 within a second',
    '  because  1.1.0 was rolled back on this machine; 1.0.0 instead: newest release of 1 that may be selected',
    '  then     up to date: stays at 1.0.0: 1.1.0 is refused by a rollback on this machine',
    'note: modreg quarantine lift acme:lidar 1.1.0 undoes this',
  ]);
  machine.story();
  machine.poller.look();
  await machine.pass(SECOND);
  await machine.deliveries.shift()?.done();
  await machine.pass(HOUR);
  expect(machine.story()).toEqual([
    '02:02:03 committed rollback acme_lidar 1.1.0 → 1.0.0',
    '02:02:03 delivered rollback acme_lidar 1.1.0 → 1.0.0',
    '02:02:04 acknowledged done',
  ]);
});
