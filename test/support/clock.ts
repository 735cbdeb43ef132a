import { systemClock, type Clock } from '../../src/registries/index.ts';

/** A clock that a test advances. */
export interface TestClock extends Clock {
  /** The length of each sleep, in milliseconds. */
  readonly sleeps: readonly number[];
  readonly advance: (ms: number) => void;
  /** Waits until something sleeps for `least` to `most` milliseconds, and moves the clock to the end of that sleep. */
  readonly skip: (least: number, most?: number) => Promise<void>;
}

const NOW: number = Date.parse('2026-11-21T01:02:03Z');

/** A clock that stands still. A sleep returns at once and advances the clock. */
export function testClock(now: number = NOW): TestClock {
  return aheadOf({
    now: () => now,
    monotonic: () => 0,
    sleep: async () => await Promise.resolve(),
  });
}

/** A part of a poller's interval in which real programs can do something. */
const HURRIED_MS = 50;

/**
 * The machine's clock. A sleep that the test does not skip takes its real time, as programs do. If `intervalMs` is given, a
 * poller's wait for its next round takes only 50 ms of it.
 */
export function skippingClock(intervalMs = Infinity): TestClock {
  return aheadOf({
    ...systemClock,
    async sleep(ms, signal) {
      // Waits for a registry and for the configuration are a tenth shorter and longer than the interval.
      const isForRound = ms >= 0.9 * intervalMs && ms <= 1.1 * intervalMs;
      await systemClock.sleep(isForRound ? HURRIED_MS : ms, signal);
    },
  });
}

/** A clock that goes with `base`. Each sleep ends with that of `base`, or when it is skipped: the clock is then at its end. */
function aheadOf(base: Clock): TestClock {
  const sleeps: number[] = [];
  const sleepers = new Set<{ readonly ms: number; readonly skipped: AbortController }>();
  let ahead = 0;
  let news = Promise.withResolvers<void>();
  const monotonic = (): number => base.monotonic() + ahead;
  return {
    sleeps,
    monotonic,
    // As the system's clock does.
    now: () => Math.floor(base.now() + ahead),
    advance: (ms) => {
      ahead += ms;
    },
    async sleep(ms, signal) {
      const end = monotonic() + ms;
      const sleeper = { ms, skipped: new AbortController() };
      sleeps.push(ms);
      sleepers.add(sleeper);
      news.resolve();
      news = Promise.withResolvers();
      const { signal: skipped } = sleeper.skipped;
      try {
        await base.sleep(ms, signal ? AbortSignal.any([skipped, signal]) : skipped);
      } catch (error) {
        if (!skipped.aborted) throw error;
      } finally {
        sleepers.delete(sleeper);
      }
      ahead += Math.max(0, end - monotonic());
    },
    async skip(least, most = least) {
      for (;;) {
        const sleeper = [...sleepers].find(({ ms }) => least <= ms && ms <= most);
        if (!sleeper) {
          await news.promise;
          continue;
        }
        sleepers.delete(sleeper);
        sleeper.skipped.abort();
        return;
      }
    },
  };
}
