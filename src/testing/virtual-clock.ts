import {
  expectArgument,
  FUNCTION,
  NUMBER,
  numberIn,
  type Expected,
} from '../core/text/argument.ts';
import type { Clock } from '../registry/clock.ts';

/** A clock that advances only when a test calls `pass`. */
export interface VirtualClock extends Clock {
  /** Advances the clock by `ms`, 0 or more; rejects with a RangeError for any other number. Each sleeper wakes in order, and its reactions run before the clock continues. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock, in milliseconds since the epoch; elapsed time is unaffected. */
  set(now: number): void;
}

/** One who sleeps until `at`, in milliseconds of the monotonic clock. */
export interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const DURATION: Expected = numberIn((ms) => ms >= 0 && ms < Infinity, 'milliseconds from 0');
const IDLE_TURNS = 8;
const NOW: number = Date.parse('2026-11-21T01:02:03Z');

/**
 * Creates a clock that stands at `now`, in milliseconds since the epoch. `pass` lets time pass: all that is asleep wakes in
 * order, and the reactions to it run before the next one wakes. It waits while `isBusy` returns true, for work that takes real
 * time, such as reading a file.
 *
 * @example
 * ```ts
 * import { virtualClock } from 'modreg/testing';
 *
 * const clock = virtualClock(Date.parse('2026-11-21T00:00:00Z'));
 * const woken = clock.sleep(60_000).then(() => new Date(clock.now()));
 * await clock.pass(3_600_000);
 * console.log((await woken).toISOString()); // 2026-11-21T00:01:00.000Z
 * ```
 */
export function virtualClock(now: number = NOW, isBusy: () => boolean = () => false): VirtualClock {
  expectArgument('virtualClock()', 'now', now, NUMBER);
  expectArgument('virtualClock()', 'isBusy', isBusy, FUNCTION);
  const sleepers = new Set<Sleeper>();
  let elapsed = 1000;
  let offset = now - elapsed;
  const turn = async (): Promise<void> => {
    // Reactions to the last event take several event-loop turns.
    for (let idle = 0; idle < IDLE_TURNS; idle = isBusy() ? 0 : idle + 1) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  return {
    now: () => Math.floor(offset + elapsed),
    monotonic: () => elapsed,
    set: (time) => {
      offset = time - elapsed;
    },
    sleep: async (ms, signal) => await sleepUntil(elapsed + ms, sleepers, signal),
    async pass(ms) {
      expectArgument('pass()', 'ms', ms, DURATION);
      const end = elapsed + ms;
      await turn();
      for (;;) {
        const [next] = [...sleepers].toSorted((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        elapsed = Math.max(elapsed, next.at);
        next.wake();
        await turn();
      }
      elapsed = end;
      await turn();
    },
  };
}

/** Resolves when `wake` of its sleeper is called; rejects if it is aborted before. */
export async function sleepUntil(
  at: number,
  sleepers: Set<Sleeper>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sleeper = { at, wake: resolve };
  const onAbort = (): void => reject(signal?.reason as Error);
  sleepers.add(sleeper);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    sleepers.delete(sleeper);
    signal?.removeEventListener('abort', onAbort);
  }
}
