import type { Clock } from '../registry/clock.ts';
import type { Slices } from '../server/fleet/slices.ts';

/** In milliseconds. Deciding for 100,000 machines of a release in rollout takes some seconds; for a machine alone, one. */
const MOST_IN_ALL = 30_000;
const MOST_ALONE = 1000;
/** After so long, others are answered. */
const SLICE = 10;

/** The time that machines take of a what-if, which a single one must not use up (T268). */
export interface Budget {
  /** The result of `work` for machines that report the same. */
  readonly spend: <T>(machines: readonly string[], work: () => T) => T;
  /** Why nothing more is decided for these machines; undefined if time is left. */
  readonly exceeded: (machines: readonly string[]) => string | undefined;
  /** Yields if others waited long enough. */
  readonly pause: () => Slices<void>;
}

/** Only time in which something is decided counts, and not what others take in between. */
export function whatIfBudget({ monotonic }: Pick<Clock, 'monotonic'>): Budget {
  let all = 0;
  let sliced = 0;
  const alone = new Map<string, number>();
  return {
    spend(machines, work) {
      const began = monotonic();
      try {
        return work();
      } finally {
        const ms = monotonic() - began;
        all += ms;
        sliced += ms;
        // What many machines share, each of them takes a part of.
        const [first = ''] = machines;
        alone.set(first, (alone.get(first) ?? 0) + ms / machines.length);
      }
    },
    exceeded([first = '']) {
      if (all > MOST_IN_ALL) return `over ${MOST_IN_ALL / 1000} s for all machines`;
      if ((alone.get(first) ?? 0) <= MOST_ALONE) return undefined;
      return `over ${MOST_ALONE / 1000} s for what this machine reports`;
    },
    *pause() {
      if (sliced < SLICE) return;
      sliced = 0;
      yield;
    },
  };
}
