import type { Eligibility } from './eligibility-policy.ts';
import type { Release } from './release.ts';

/** When a machine first saw the releases of a list. */
export type FirstSeen = NonNullable<Eligibility['firstSeen']>;

/**
 * The publish time of a release, moved into the span in which it can have been published; undefined if it claims none.
 * If the span is inverted, the result is the time at which the release was first seen.
 */
export function publishTime(
  { version, publishedAt }: Release,
  firstSeen: FirstSeen | undefined,
): number | undefined {
  if (publishedAt === undefined || !firstSeen) return publishedAt;
  // A publisher can claim any time, but not that a release was there before, or that it was not seen (D34).
  const { after, at } = firstSeen.added.get(version.text) ?? {
    after: -Infinity,
    at: firstSeen.since,
  };
  return Math.min(Math.max(publishedAt, after), at);
}
