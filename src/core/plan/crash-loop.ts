const MAX_STARTS = 5;
/** An agent that starts `MAX_STARTS` times within this time is in a crash loop. */
const STARTS_WITHIN_MS = 10 * 60_000;

/**
 * When the crash loop of an agent that started at `starts` ends, in milliseconds since the epoch; undefined if it is in
 * none. Until then, no action is committed or delivered (T57).
 */
export function crashLoopEnd(starts: readonly number[], now: number): number | undefined {
  const recent = starts.filter((at) => Math.abs(now - at) < STARTS_WITHIN_MS);
  const decisive = recent.toSorted((a, b) => b - a)[MAX_STARTS - 1];
  return decisive === undefined ? undefined : decisive + STARTS_WITHIN_MS;
}
