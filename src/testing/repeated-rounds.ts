import type { MachineLife } from './machine-life.ts';
import type { RegistryWithFaults } from './test-registry.ts';

/** Finds time that a clock may leave out (D429). */
export interface RepeatedRounds {
  /**
   * Called when all that a machine waits for ends at once, at `at` on the monotonic clock: returns how much of the time up to `end` may be
   * left out before that, because the machine did the same in its last two rounds and would go on with it. Notes the requests of those rounds.
   */
  readonly leap: (at: number, end: number) => number;
  /** The rounds so far tell nothing about the next: a test may have changed something. */
  readonly forget: () => void;
}

interface Moment {
  readonly at: number;
  readonly noticed: string;
  readonly requested: number;
}

/** They are played to the end, so that all that the machine remembers is of its last rounds. */
const LAST_ROUNDS = 2;

export function repeatedRounds(
  {
    registry,
    hasFaults,
  }: Pick<RegistryWithFaults, 'hasFaults'> & {
    readonly registry: Pick<RegistryWithFaults['registry'], 'requests'>;
  },
  {
    events,
    deliveries,
    restsFor,
  }: Pick<MachineLife, 'restsFor'> & {
    readonly events: readonly unknown[];
    readonly deliveries: readonly unknown[];
  },
): RepeatedRounds {
  const { requests: sent } = registry;
  const noticed = (): string => `${events.length} ${deliveries.length}`;
  let moments: readonly Moment[] = [];
  return {
    forget: () => void (moments = []),
    leap: (at, end) => {
      const now = { at, noticed: noticed(), requested: sent.length };
      const [first, second] = moments;
      moments = second ? [second, now] : [...moments, now];
      if (!first || !second || first.noticed !== now.noticed) return 0;
      const round = at - second.at;
      const again = sent.slice(second.requested);
      const before = sent.slice(first.requested, second.requested);
      if (round !== second.at - first.at || again.join() !== before.join()) return 0;
      const free = hasFaults() ? 0 : Math.min(end - at, restsFor() ?? 0);
      const times = Math.floor(free / round) - LAST_ROUNDS;
      if (!(times > 0)) return 0;
      for (let time = 0; time < times; time++) sent.push(...again);
      moments = [];
      return times * round;
    },
  };
}
