import { vi } from 'vitest';
import type { Veto } from '../../src/core/decision/timing-policies.ts';
import { MINUTE, SECOND, type Day, type DayOptions } from './day.ts';
import { ask } from './history.ts';
import { settled } from './restarts.ts';

/** A machine on which 1.2.4 of a lidar was published; it is decided at 01:03:33. */
export async function waiting(more: Partial<DayOptions> = {}): Promise<Day> {
  const machine = await settled(more);
  machine.publish('acme:lidar', '1.2.4');
  await machine.pass(MINUTE);
  machine.story();
  machine.begun();
  return machine;
}

/** What forbids to stop the lidar; `said` may be changed meanwhile. */
export function vetoing(veto: { said: string | undefined }): Partial<DayOptions> {
  const vetoes = (): Veto[] => [{ by: 'acme_lidar', said: veto.said, isOverridable: false }];
  return { vetoes };
}

/** What `modreg upgrade` answers, while the process that polls for the machine sees what it asks for. */
export async function upgradeAfterRound(
  machine: Day,
  ...args: readonly string[]
): ReturnType<typeof ask> {
  const asked = ask(machine, 'upgrade', ...args);
  await vi.waitFor(() => {
    if (machine.state.memory().roundRequests.length === 0) throw new Error('nothing was asked for');
  });
  await seen(machine);
  return await asked;
}

/** Lets the process that polls for the machine see what was requested, as it does within a second. */
export async function seen(machine: Day): Promise<void> {
  machine.poller.look();
  await machine.pass(SECOND);
}
