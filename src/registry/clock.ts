/** A source of time. `systemClock` is the machine's; tests pass one of their own. */
export interface Clock {
  /** The wall clock, in milliseconds since the epoch. It may be set, in both directions. */
  now(): number;
  /** Elapsed time, in milliseconds since an arbitrary moment. It never decreases. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the reason of `signal` when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Chance, as the world gives it: from 0 to 1. */
export function systemRandom(): number {
  return Math.random();
}

/** `setTimeout` takes no more: what is longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock. Its `sleep` throws a RangeError for NaN, and sleeps for more than 24 days too. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    // As a timer it would fire at once.
    if (Number.isNaN(ms)) throw new RangeError('asked to sleep for no number of milliseconds');
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
      await timer(Math.min(left, LONGEST_TIMER_MS), signal);
    }
  },
};

async function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, ms);
  const onAbort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener('abort', onAbort);
  }
}
