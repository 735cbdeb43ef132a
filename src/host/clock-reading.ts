import type { ClockReading } from '../core/decision/operator-hold.ts';
import type { World } from '../base/world.ts';

/** The time of the machine's clock, and whether the system says that it is not right yet. */
export function clockReading(world: World): ClockReading {
  const isWrong = world.clockState?.() === 'unsynchronized';
  return {
    now: world.clock(),
    clock: isWrong ? { kind: 'unsynchronized', certainAt: undefined } : undefined,
  };
}
