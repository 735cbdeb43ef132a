import { systemClock, type Clock } from '../../src/registries/index.ts';

/** A part of an agent's interval in which real programs can do something. */
const HURRIED_MS = 50;

/**
 * The machine's clock, except that an agent's wait for its next round ends soon: then the clock goes forward to the end of the
 * wait. Each other wait takes its real time at least, as programs do.
 */
export function hurriedClock(intervalMs: number): Clock {
  let ahead = 0;
  const monotonic = (): number => systemClock.monotonic() + ahead;
  return {
    now: () => systemClock.now() + ahead,
    monotonic,
    async sleep(ms, signal) {
      // Waits for a registry and for the configuration are a tenth shorter and longer than the interval.
      const isForRound = ms >= 0.9 * intervalMs && ms <= 1.1 * intervalMs;
      if (!isForRound) return await systemClock.sleep(ms, signal);
      const due = monotonic() + ms;
      await systemClock.sleep(HURRIED_MS, signal);
      ahead += Math.max(0, due - monotonic());
    },
  };
}
