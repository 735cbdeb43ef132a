import { having, type Expected } from '../core/text/argument.ts';

/** A source of time. `systemClock` is the machine's clock; tests pass a fake one. */
export interface Clock {
  /** The wall clock, in milliseconds since the epoch; fractions do not count. It may jump forward or backward. */
  now(): number;
  /** Elapsed time, in milliseconds since an arbitrary moment. It never decreases. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the reason of `signal` if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Whether an argument that no compiler checked is a Clock. A function that returns the time is not. */
export const CLOCK: Expected = having('a Clock', 'now', 'monotonic', 'sleep');

/** `clock` with whole milliseconds since the epoch, as files store them; its `now` may have fractions. */
export function wholeMilliseconds(clock: Clock): Clock {
  return {
    now: () => Math.floor(clock.now()),
    monotonic: clock.monotonic.bind(clock),
    sleep: clock.sleep.bind(clock),
  };
}

/** A random number from 0 to 1. */
export function systemRandom(): number {
  return Math.random();
}

/** The longest delay of `setTimeout`: a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. `sleep` accepts any duration, even one over 24 days, and throws a RangeError for NaN. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    // `setTimeout` would treat NaN as 0.
    if (Number.isNaN(ms)) throw new RangeError('the delay is NaN, expected milliseconds');
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
