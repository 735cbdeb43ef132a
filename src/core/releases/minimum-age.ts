import type { Version } from '../version/version.ts';
import type { AgeByStep, Eligibility } from './eligibility-policy.ts';
import type { ReleaseIndex } from './release-index.ts';
import type { Release } from './release.ts';

/**
 * In `firstSeen.added`, what precedes the text of a version that was yanked later: `after` is when the last list without the yank
 * was confirmed, `at` when the first list with it was read. No version begins with it.
 */
export const YANKED = 'yanked ';

/** The age that `release` must have reached, in milliseconds (D97); undefined if it needs none (D98). */
export function minimumAgeOf(
  { version }: Pick<Release, 'version'>,
  eligibility: Pick<Eligibility, 'minimumAge' | 'deployed' | 'firstSeen'>,
): number | undefined {
  const { minimumAge, deployed } = eligibility;
  if (!minimumAge || minimumAge.exempt?.includes(version.text)) return undefined;
  const { byStep, afterYank } = minimumAge;
  // Most policies have the one age, and this is asked for each release.
  if (byStep === undefined && afterYank === undefined) return minimumAge.ms;
  // From the deployed version to itself is no step, and it may have come with a shorter age.
  if (deployed?.text === version.text) return undefined;
  const ofStep = byStep && byStep[stepBetween(deployed, version) ?? longestStep(byStep)];
  const ms = ofStep ?? minimumAge.ms;
  const isShorter = afterYank !== undefined && afterYank < ms;
  const needed = isShorter && wasThereBeforeYank(version, eligibility) ? afterYank : ms;
  return needed === 0 && needed !== minimumAge.ms ? undefined : needed;
}

/**
 * `eligibility` without the shorter age after a yank that too few authors signed, where signatures are checked: what makes a machine run
 * something sooner needs an author (D204).
 */
export function withSignedYank(eligibility: Eligibility, index: ReleaseIndex): Eligibility {
  const { minimumAge, deployed, firstSeen, trust } = eligibility;
  if (!trust || !deployed || minimumAge?.afterYank === undefined) return eligibility;
  if (!firstSeen?.added.has(YANKED + deployed.text)) return eligibility;
  const release = index.find(deployed);
  const isSigned = release?.yanked !== undefined && !trust.check(release, 'yank');
  return isSigned
    ? eligibility
    : { ...eligibility, minimumAge: { ...minimumAge, afterYank: undefined } };
}

/** The first number in which two versions differ; undefined if the deployed version is not known. */
function stepBetween(deployed: Version | undefined, to: Version): keyof AgeByStep | undefined {
  if (!deployed) return undefined;
  if (deployed.major !== to.major) return 'major';
  return deployed.minor === to.minor ? 'patch' : 'minor';
}

function longestStep({ major, minor, patch }: AgeByStep): keyof AgeByStep {
  if (major >= minor && major >= patch) return 'major';
  return minor >= patch ? 'minor' : 'patch';
}

/**
 * Whether this machine saw `version` in a list before it saw that the deployed version is yanked. Who can yank a release and
 * publish another one afterwards gains nothing (D99).
 */
function wasThereBeforeYank(
  { text }: Version,
  { deployed, firstSeen }: Pick<Eligibility, 'deployed' | 'firstSeen'>,
): boolean {
  const yank = deployed && firstSeen?.added.get(YANKED + deployed.text);
  if (!firstSeen || !yank) return false;
  const seenAt = firstSeen.added.get(text)?.at ?? firstSeen.since;
  // A clock that was set back may have made both times equal (D59).
  return seenAt <= yank.after && seenAt < yank.at;
}
