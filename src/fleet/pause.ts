import type { Clock } from '../registry/clock.ts';

/** A pause that news may end. */
export interface Pause {
  /** Ends the pause, or the next one. */
  readonly wake: () => void;
  /** Whether news ended it, and not the time or `signal`. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<boolean>;
}

export function pauseWith({ sleep }: Pick<Clock, 'sleep'>): Pause {
  let news = Promise.withResolvers<boolean>();
  return {
    wake: () => news.resolve(true),
    async sleep(ms, signal) {
      const over = new AbortController();
      const slept = sleep(ms, AbortSignal.any([over.signal, signal])).then(
        () => false,
        () => false,
      );
      const isWoken = await Promise.race([news.promise, slept]);
      over.abort();
      if (isWoken) news = Promise.withResolvers<boolean>();
      return isWoken;
    },
  };
}
