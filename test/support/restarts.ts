import { day, MINUTE, SECOND, HOUR, type Day, type DayOptions } from './day.ts';
import { ask } from './history.ts';
import { entry } from './planned.ts';

/** A policy with a maintenance window from 02:00 to 03:00. */
export const NIGHTLY: object = {
  maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone: 'UTC' }],
};

/** A machine with 1.2.3 of one lidar, the newest release, at 01:03:03. */
export async function settled(more: Partial<DayOptions> = {}): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
    ...more,
  });
  await machine.pass(MINUTE);
  machine.story();
  return machine;
}

/** What `modreg restart` prints, or its errors. */
export async function answerTo(
  machine: Day | string,
  ...args: readonly string[]
): Promise<readonly string[]> {
  const { answer, problems } = await ask(machine, 'restart', ...args);
  return problems.length === 0 ? answer : problems;
}

/** The events until after the next maintenance window, in which the first delivery is done. */
export async function afterwards(machine: Day): Promise<string[]> {
  machine.poller.look();
  await machine.pass(SECOND);
  await machine.deliveries.shift()?.done();
  await machine.pass(3 * HOUR);
  return machine.story();
}
