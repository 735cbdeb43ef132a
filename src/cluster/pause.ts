import type { Clock } from '../registry/clock.ts';

/** A pause that news may end. */
export interface Pause {
  /** Ends the pause, or the next one. */
  readonly wake: () => void;
  /** Whether news ended it, and not the time or `signal`. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<boolean>;
}

export function pauseWith({ sleep }: Pick<Clock, 'sleep'>): Pause {
  let isNews = false;
  let over = new AbortController();
  return {
    wake() {
      isNews = true;
      over.abort();
    },
    async sleep(ms, signal) {
      over = new AbortController();
      const either = AbortSignal.any([over.signal, signal]);
      if (!isNews) await sleep(ms, either).catch(() => undefined);
      const isWoken = isNews;
      isNews = false;
      return isWoken;
    },
  };
}
