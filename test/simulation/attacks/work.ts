import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../../src/registries/index.ts';
import type { ChangeFeed } from '../../../src/server/catalogue/change-feed.ts';

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

/** `feed`, whose waits are no work. Several share one sleep, which is that of the first. */
export function restfulFeed(feed: ChangeFeed, { waiting }: Work): ChangeFeed {
  return {
    ...feed,
    wait: async (...asked) => await waiting(async () => await feed.wait(...asked)),
    reaches: async (...asked) => await waiting(async () => await feed.reaches(...asked)),
  };
}

/** Puts the time limits and the random delays of the HTTP client on `clock` and `random`, until the returned function is called. */
export function onVirtualTime(clock: Clock, random: () => number): () => void {
  const { random: realRandom } = Math;
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const running = new Map<unknown, AbortController>();
  const started = (fire: () => void, ms: number, isRepeated: boolean): object => {
    const timer = {};
    const ending = new AbortController();
    running.set(timer, ending);
    const sleep = (): void => {
      clock.sleep(ms, ending.signal).then(fired, () => undefined);
    };
    const fired = (): void => {
      if (isRepeated) sleep();
      else running.delete(timer);
      fire();
    };
    sleep();
    return timer;
  };
  const cleared = (timer: unknown): boolean => {
    running.get(timer)?.abort();
    return running.delete(timer);
  };
  Object.assign(globalThis, {
    setTimeout: (fire: () => void, ms = 0) => started(fire, ms, false),
    setInterval: (fire: () => void, ms: number) => started(fire, ms, true),
    // One of before is a real one.
    clearTimeout: (timer: unknown) => void (cleared(timer) || clearTimeout(timer as number)),
    clearInterval: (timer: unknown) => void (cleared(timer) || clearInterval(timer as number)),
  });
  Object.assign(performance, { now: () => clock.monotonic() });
  Object.assign(Math, { random });
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
    // That of its prototype is the real one.
    Reflect.deleteProperty(performance, 'now');
    Object.assign(Math, { random: realRandom });
    for (const ending of running.values()) ending.abort();
  };
}
