import type { TimingPolicy } from './timing-policy.ts';

/** What the ceiling counts in, in milliseconds. */
export const DAY = 86_400_000;

/**
 * So many restarts in 24 hours, and no more. One that lies more than that ahead was noted by a clock that
 * was wrong, and counts for nothing. (D25, I15)
 */
export const restartCeiling: TimingPolicy = ({ restarts, restartCeiling: most }, at) => {
  const latestFirst = restarts
    .filter((restart) => restart > at - DAY && restart <= at + DAY)
    .toSorted((a, b) => b - a);
  // Once this one is a day old, fewer than the most are left.
  const last = latestFirst[most - 1];
  if (last === undefined) return undefined;
  return { reason: 'restart-ceiling', until: last + DAY, restarts: latestFirst.length };
};
