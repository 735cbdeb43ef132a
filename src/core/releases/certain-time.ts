import type { ClockFault, Eligibility } from './eligibility-policy.ts';

/** The latest time that is certain, in milliseconds since the epoch; `-Infinity` if none is (D57). */
export function certainTime({ now, clock }: Pick<Eligibility, 'now' | 'clock'>): number {
  if (!clock) return now;
  return clock.kind === 'wrong' ? now - clock.aheadMs : (clock.certainAt ?? -Infinity);
}

/**
 * When a release that was published at `publishedAt` reaches an age, by the clock of the machine. Where no time is certain,
 * its age stays unknown even then (D57).
 */
export function reachesAge(
  publishedAt: number,
  ageMs: number,
  clock: ClockFault | undefined,
): number {
  return publishedAt + ageMs + (clock?.kind === 'wrong' ? clock.aheadMs : 0);
}
