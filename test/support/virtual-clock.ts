import type { Clock } from '../../src/registry/index.ts';

/** A clock whose time passes only when a test says so. */
export interface VirtualClock extends Clock {
  /** Lets time pass: whoever sleeps wakes up in turn, and does what it does, before it goes on. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock, and no other. */
  set(now: number): void;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const IDLE_TURNS = 8;
const NOW: number = Date.parse('2026-11-21T01:02:03Z');

/** `busy` tells whether something is under way that takes real time: the clock waits for it. */
export function virtualClock(now: number = NOW, busy: () => boolean = () => false): VirtualClock {
  const sleepers = new Set<Sleeper>();
  let elapsed = 1000;
  let offset = now - elapsed;
  const turn = async (): Promise<void> => {
    // What comes of the last of it takes some turns more.
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
