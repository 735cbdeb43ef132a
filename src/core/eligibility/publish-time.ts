import type { Policy } from './policy.ts';

/**
 * Asked as of a time, what was published later does not exist yet; an unknown time is kept.
 * Otherwise a publish time in the future counts as age 0. Pins have no minimum age. (D12)
 */
export const publishTime: Policy = ({ constraint, eligibility }, { publishedAt }) => {
  const { now, notAfter = Infinity, minimumAge } = eligibility;
  if (publishedAt !== undefined && !(publishedAt <= notAfter)) {
    return { reason: 'not-yet-published', publishedAt };
  }
  if (minimumAge === undefined || constraint.kind === 'patch') return undefined;
  if (publishedAt === undefined) {
    return minimumAge.unknown === 'allow' ? undefined : { reason: 'unknown-age' };
  }
  // A number that is none, in whichever place, must not pass.
  const isOldEnough = Math.max(0, now - publishedAt) >= minimumAge.ms;
  return isOldEnough ? undefined : { reason: 'too-young', until: publishedAt + minimumAge.ms };
};
