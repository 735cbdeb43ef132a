/** A clock that is synchronized may step back this far. */
const MOST_AHEAD_MS = 5 * 60_000;

/**
 * Whether a list that was confirmed at `confirmedAt` is too old to be used without its registry. So is one that was confirmed
 * by a clock more than five minutes ahead: it would otherwise be valid for as long as that clock was ahead (T96).
 */
export function isTooOld(confirmedAt: number, now: number, maxAgeMs: number): boolean {
  const age = now - confirmedAt;
  // Not a number: too old.
  return !(age <= maxAgeMs && age >= -MOST_AHEAD_MS);
}
