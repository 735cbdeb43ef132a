import { excerpt } from '../text/quote.ts';
import { isExposed, readWebAddress } from '../text/web-address.ts';
import { formatConstraint, isInBranch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import type { Eligibility, Policy } from './eligibility-policy.ts';
import { certainTime, reachesAge } from './certain-time.ts';
import { minimumAgeOf } from './minimum-age.ts';
import { publishTime } from './publish-time.ts';
import { quarantined } from './quarantine.ts';
import { isPublishedFor } from './platform.ts';
import type { Refusal } from './refusal.ts';
import { artifactFor, type Artifact, type Release } from './release.ts';
import { requirementUnmet } from './requirement-unmet.ts';
import { excludedByRollout } from './rollout-refusal.ts';

/** Only a pin may select a yanked release (D7). */
const yanked: Policy = ({ constraint }, release) => {
  if (release.yanked === undefined || constraint.kind === 'patch') return undefined;
  return { reason: 'yanked', because: release.yanked };
};

/** A release that lists its artifacts must have one for the platform (D9). */
const noArtifact: Policy = ({ eligibility: { platform } }, release) => {
  if (platform === undefined || release.artifacts === undefined) return undefined;
  const published = [...new Set(release.artifacts.map((artifact) => artifact.platform))];
  if (isPublishedFor(published, platform)) return undefined;
  return { reason: 'no-artifact', platform, published };
};

/** Nothing is known of the files of a release whose description cannot be used (D141). */
const unreadable: Policy = (_input, { unreadable: complaint }) =>
  complaint === undefined ? undefined : { reason: 'untrusted-artifact', complaint };

/** A machine downloads from an address that it may contact, and compares the file with its digest (D36). */
const untrustedArtifact: Policy = ({ eligibility: { platform, artifactRules } }, release) => {
  const artifact = platform && artifactRules && artifactFor(release, platform);
  const complaint = artifact && complaintAbout(artifact, artifactRules);
  return complaint === undefined ? undefined : { reason: 'untrusted-artifact', complaint };
};

const FULL_DIGEST = /^(?:sha256:[\da-f]{64}|sha512:[\da-f]{128})$/i;

function complaintAbout(
  { url, digest }: Artifact,
  rules: NonNullable<Eligibility['artifactRules']>,
): string | undefined {
  if (url === undefined) return undefined;
  const address = readWebAddress(url);
  if (!address.ok) return `its address: ${address.error}`;
  if (isExposed(address.value, rules.allowHttp)) {
    return `its address is http: to ${address.value.host}, which allow_http does not name`;
  }
  if (!rules.requireDigest || FULL_DIGEST.test(digest ?? '')) return undefined;
  return digest === undefined
    ? 'its file has no digest'
    : `its digest is ${excerpt(digest)}, not a complete sha256 or sha512`;
}

/**
 * A version whose digest changed is not the published one. No constraint accepts it, not even a pin (D22). Where authors sign, their
 * signature says which file is the published one (D197).
 */
const digestChanged: Policy = ({ eligibility }, release) => {
  const change = eligibility.changedDigests?.get(release.version.text);
  if (!change || (eligibility.trust && !eligibility.trust.check(release))) return undefined;
  return { reason: 'digest-changed', ...change };
};

/** What the policy of the site refuses, no constraint accepts, not even a pin (D94). */
const refusedBySite: Policy = ({ eligibility }, { version }) => {
  const against = siteRefusal(eligibility, version);
  return against && { reason: 'refused-by-site', ...against };
};

/** What of the policy of the site refuses `version`, and why; undefined if nothing does. */
export function siteRefusal(
  { refuse }: Pick<Eligibility, 'refuse'>,
  version: Version,
): { readonly versions: string; readonly because: string | undefined } | undefined {
  const found = refuse?.find(({ versions }) => isInBranch(versions, version));
  return found && { versions: formatConstraint(found.versions), because: found.because };
}

/**
 * With `notAfter`, a release that was published later is refused, and one without a publish time is not. Otherwise a
 * publish time in the future counts as age 0. The minimum age does not apply to pins (D12). D34 limits the publish time.
 * The age counts to the latest time that is certain: where none is, it is unknown (D57).
 */
const ageLimits: Policy = ({ constraint, eligibility }, release) => {
  const { notAfter = Infinity, minimumAge, firstSeen } = eligibility;
  const publishedAt = publishTime(release, firstSeen);
  if (publishedAt !== undefined && !(publishedAt <= notAfter)) {
    return { reason: 'not-yet-published', publishedAt };
  }
  if (minimumAge === undefined || constraint.kind === 'patch') return undefined;
  return tooYoung(release, publishedAt, eligibility);
};

/** Apart, because V8 no longer inlines a longer function. */
function tooYoung(
  release: Release,
  publishedAt: number | undefined,
  eligibility: Eligibility,
): Refusal | undefined {
  const { minimumAge, clock } = eligibility;
  const ageMs = minimumAgeOf(release, eligibility);
  if (minimumAge === undefined || ageMs === undefined) return undefined;
  if (publishedAt === undefined) {
    return minimumAge.unknown === 'allow' ? undefined : { reason: 'unknown-age' };
  }
  // A comparison with NaN is false, so a release is refused if any of the numbers is NaN.
  const isOldEnough = Math.max(0, certainTime(eligibility) - publishedAt) >= ageMs;
  if (isOldEnough) return undefined;
  if (!clock || clock.kind === 'wrong') {
    return { reason: 'too-young', until: reachesAge(publishedAt, ageMs, clock) };
  }
  return minimumAge.unknown === 'allow' ? undefined : { reason: 'unknown-age', clock: clock.kind };
}

/** Why `release` is refused: the first reason in the order of the decision table; undefined if it is eligible. */
export const ineligible: Policy = (input, release) =>
  yanked(input, release) ??
  unreadable(input, release) ??
  noArtifact(input, release) ??
  untrustedArtifact(input, release) ??
  digestChanged(input, release) ??
  (input.eligibility.refuse && refusedBySite(input, release)) ??
  quarantined(input, release) ??
  // Most releases require nothing.
  (release.requires && requirementUnmet(input, release)) ??
  ageLimits(input, release) ??
  excludedByRollout(input, release);
