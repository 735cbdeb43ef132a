import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../../src/registries/index.ts';

/** Real work that a virtual clock waits for: reading, verifying, unpacking streams. */
export interface Work {
  readonly isBusy: () => boolean;
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** Work that waits for the virtual clock itself is no reason to wait. */
  readonly waiting: <T>(wait: () => Promise<T>) => Promise<T>;
}

interface Piece {
  waits: number;
}

export function workCount(): Work {
  const pieces = new Set<Piece>();
  const current = new AsyncLocalStorage<Piece>();
  return {
    isBusy: () => [...pieces].some(({ waits }) => waits === 0),
    async during(work) {
      const piece = { waits: 0 };
      pieces.add(piece);
      try {
        return await current.run(piece, work);
      } finally {
        pieces.delete(piece);
      }
    },
    async waiting(wait) {
      const piece = current.getStore() ?? { waits: 0 };
      piece.waits++;
      try {
        return await wait();
      } finally {
        piece.waits--;
      }
    },
  };
}

/** `clock`, whose sleeps are no work. */
export function restful(clock: Clock, { waiting }: Work): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: async (ms, signal) => await waiting(async () => await clock.sleep(ms, signal)),
  };
}

/** Puts the time limits of the HTTP client on `clock`, until the returned function is called. */
export function onVirtualTime(clock: Clock): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  const running = new Map<unknown, AbortController>();
  Object.assign(globalThis, {
    setTimeout(fire: () => void, ms = 0) {
      const timer = {};
      const ending = new AbortController();
      running.set(timer, ending);
      const fired = (): void => {
        running.delete(timer);
        fire();
      };
      clock.sleep(ms, ending.signal).then(fired, () => undefined);
      return timer;
    },
    clearTimeout(timer: unknown) {
      const ending = running.get(timer);
      ending?.abort();
      running.delete(timer);
      // One of before is a real one.
      if (!ending) clearTimeout(timer as number);
    },
  });
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    for (const ending of running.values()) ending.abort();
  };
}
