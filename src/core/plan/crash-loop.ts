/** An agent that starts this often within this time crashes. */
const MAX_STARTS = 5;
const STARTS_WITHIN_MS = 10 * 60_000;

/**
 * When an agent that started at `starts` may act again, in milliseconds since the epoch; undefined if it is in no
 * crash loop. (T57)
 */
export function crashLoopEnd(starts: readonly number[], now: number): number | undefined {
  const recent = starts.filter((at) => Math.abs(now - at) < STARTS_WITHIN_MS);
  const decisive = recent.toSorted((a, b) => b - a)[MAX_STARTS - 1];
  return decisive === undefined ? undefined : decisive + STARTS_WITHIN_MS;
}
