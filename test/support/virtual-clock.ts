import type { Clock } from '../../src/registry/index.ts';

/** A clock that advances only when a test calls `pass`. */
export interface VirtualClock extends Clock {
  /** Advances the clock. Each sleeper wakes in order, and its reactions run before the clock continues. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock; the monotonic clock is unaffected. */
  set(now: number): void;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const IDLE_TURNS = 8;
const NOW: number = Date.parse('2026-11-21T01:02:03Z');

/** The clock waits while `busy` reports work that takes real time. */
export function virtualClock(now: number = NOW, busy: () => boolean = () => false): VirtualClock {
  const sleepers = new Set<Sleeper>();
  let elapsed = 1000;
  let offset = now - elapsed;
  const turn = async (): Promise<void> => {
    // Reactions to the last event take several event-loop turns.
    for (let idle = 0; idle < IDLE_TURNS; idle = busy() ? 0 : idle + 1) {
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
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { at: elapsed + ms, wake: resolve };
      const onAbort = (): void => reject(signal?.reason as Error);
      sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        await promise;
      } finally {
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    async pass(ms) {
      const end = elapsed + ms;
      await turn();
      for (;;) {
        const [next] = [...sleepers].toSorted((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        elapsed = Math.max(elapsed, next.at);
        sleepers.delete(next);
        next.wake();
        await turn();
      }
      elapsed = end;
      await turn();
    },
  };
}
