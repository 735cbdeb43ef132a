import type { MachineLife } from './machine-life.ts';
import type { RegistryWithFaults } from './test-registry.ts';
import type { RepeatedRounds } from './virtual-clock.ts';

interface Moment {
  readonly at: number;
  readonly noticed: string;
  readonly requested: number;
}

/** They are played to the end, so that all that the machine remembers is of its last rounds. */
const LAST_ROUNDS = 2;

/** Finds rounds that repeat (D429). */
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
