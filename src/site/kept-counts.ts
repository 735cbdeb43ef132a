import type { Clock } from '../registry/clock.ts';

/** What was counted a moment ago. */
interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Counting 100,000 machines takes so long that a page which is loaded again and again must not repeat it. */
const KEPT_MS = 5000;
/** A count of 100,000 machines takes about a megabyte. */
const MOST_KEPT = 16;

/** The results of `count` by a key, each for some seconds. */
export function keptCounts<T>(clock: Pick<Clock, 'monotonic'>): (key: string, count: () => T) => T {
  const kept = new Map<string, Kept<T>>();
  return (key, count) => {
    const known = kept.get(key);
    if (known && clock.monotonic() < known.until) return known.value;
    const value = count();
    // Sorted by age, because a renewed one is put at the end.
    kept.delete(key);
    kept.set(key, { value, until: clock.monotonic() + KEPT_MS });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
