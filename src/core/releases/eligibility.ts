import type { Policy } from './eligibility-policy.ts';
import { quarantined } from './quarantine.ts';
import { artifactsFor } from './release.ts';

/** A yanked release is chosen by a pin alone. (D7) */
const yanked: Policy = ({ constraint }, release) => {
  if (release.yanked === undefined || constraint.kind === 'patch') return undefined;
  return { reason: 'yanked', because: release.yanked };
};

/** A release that lists its artifacts must have one for the platform that is asked for. (D9) */
const noArtifact: Policy = ({ eligibility: { platform } }, release) => {
  if (platform === undefined || release.artifacts === undefined) return undefined;
  if (artifactsFor(release, platform)?.length !== 0) return undefined;
  const published = [...new Set(release.artifacts.map((artifact) => artifact.platform))];
  return { reason: 'no-artifact', platform, published };
};

/** A version whose digest changed is not what was published: no constraint takes it, pins included. (D22) */
const digestChanged: Policy = ({ eligibility: { changedDigests } }, { version }) => {
  const change = changedDigests?.get(version.text);
  return change && { reason: 'digest-changed', ...change };
};

/**
 * Asked as of a time, what was published later does not exist yet; an unknown time is kept.
 * Otherwise a publish time in the future counts as age 0. Pins have no minimum age. (D12)
 */
const publishTime: Policy = ({ constraint, eligibility }, { publishedAt }) => {
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

/** The first policy that refuses `release`, in the order of the decision table. */
export const ineligible: Policy = (input, release) =>
  yanked(input, release) ??
  noArtifact(input, release) ??
  digestChanged(input, release) ??
  quarantined(input, release) ??
  publishTime(input, release);
