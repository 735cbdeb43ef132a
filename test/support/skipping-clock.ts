import { systemClock, type Clock } from '../../src/registries/index.ts';

/** The machine's clock, whose waits a test skips. */
export interface SkippingClock extends Clock {
  /** Waits until something sleeps for `least` to `most` milliseconds, and moves the clock to the end of that sleep. */
  readonly skip: (least: number, most?: number) => Promise<void>;
}

interface Sleeper {
  readonly ms: number;
  /** On the monotonic clock. */
  readonly until: number;
  readonly wake: () => void;
}

export function skippingClock(): SkippingClock {
  const sleepers = new Set<Sleeper>();
  let skipped = 0;
  let news = Promise.withResolvers<void>();
  const monotonic = (): number => systemClock.monotonic() + skipped;
  return {
    monotonic,
    now: () => systemClock.now() + skipped,
    async sleep(ms, signal) {
      const woken = Promise.withResolvers<void>();
      const sleeper = { ms, until: monotonic() + ms, wake: woken.resolve };
      const awake = new AbortController();
      sleepers.add(sleeper);
      news.resolve();
      news = Promise.withResolvers();
      const either = AbortSignal.any([awake.signal, ...(signal ? [signal] : [])]);
      try {
        await Promise.race([systemClock.sleep(ms, either), woken.promise]);
      } finally {
        awake.abort();
        sleepers.delete(sleeper);
      }
    },
    async skip(least, most = least) {
      for (;;) {
        const sleeper = [...sleepers].find(({ ms }) => least <= ms && ms <= most);
        if (!sleeper) {
          await news.promise;
          continue;
        }
        skipped += Math.max(0, sleeper.until - monotonic());
        for (const one of sleepers) {
          if (one.until > sleeper.until) continue;
          sleepers.delete(one);
          one.wake();
        }
        return;
      }
    },
  };
}
