import { formatConstraint, typeOf, type Branch, type Constraint } from '../version/constraint.ts';
import { firstFew } from '../text/few.ts';
import type { Misfit } from '../text/parse-error.ts';
import { excerpt } from '../text/quote.ts';
import type { Refusal, Refused } from '../releases/refusal.ts';
import type { DigestChange } from '../releases/release.ts';
import { describeUnmet } from './requirement-words.ts';
import { badSignatureWords, unsignedWords } from './signature-words.ts';
import { newerRefused, type Resolution } from '../releases/resolve.ts';
import { CONFIRMED_WITHIN_MS, type RolloutRefusal } from '../releases/rollout-refusal.ts';
import { describeDuration } from '../text/duration.ts';
import { passing, say, textOf, type Said } from '../text/time-words.ts';
import type { Version } from '../version/version.ts';

/** How many floors are named. */
const FLOORS_NAMED = 3;

/** The rule of a constraint in one line. */
export function describeConstraint(constraint: Constraint): string {
  return `${constraint.kind}: ${typeOf(constraint).rule(constraint)}`;
}

/** Why the release is selected, in one line. */
export function describeChosen(resolution: Resolution & { readonly kind: 'resolved' }): string {
  const { yanked, deprecated, floor } = resolution.release;
  return [
    chosenAs(resolution),
    ...(floor ? ['a floor'] : []),
    ...(yanked === undefined ? [] : [describeYanked(yanked)]),
    ...(deprecated === undefined ? [] : [describeDeprecated(deprecated)]),
  ].join('; ');
}

/** Why `constraint` does not select `refused`, in one line. */
export function describeRefused(refused: Refused, constraint: Constraint): string {
  return textOf(refusalWords(refused, constraint));
}

/** The same, with its times as data. */
export function refusalWords(refused: Refused, constraint: Constraint): Said {
  if ('percent' in refused) return rolloutWords(refused);
  switch (refused.reason) {
    case 'not-a-version':
      return `not a version: ${describeMisfit(refused.error)}`;
    case 'other-major':
    case 'other-minor':
      return describeOther(refused.reason, refused.release.version, constraint);
    case 'other-version':
      return `not ${formatConstraint(constraint)}`;
    case 'prerelease':
      return 'prerelease; only latest-with-prerelease accepts prereleases';
    case 'yanked':
      return describeYanked(refused.because);
    case 'conflicting-digest':
    case 'no-artifact':
    case 'untrusted-artifact':
    case 'digest-changed':
    case 'unsigned':
    case 'bad-signature':
      return fileWords(refused);
    case 'refused-by-site':
      return siteWords(refused);
    case 'deprecated':
      return `${describeDeprecated(refused.because)}; ${refused.preferred.text} is preferred`;
    case 'quarantined':
      return quarantineWords(refused);
    case 'requirement-unmet':
      return describeUnmet(refused);
    case 'too-young':
    case 'unknown-age':
    case 'not-yet-published':
      return ageWords(refused);
    case 'behind-floor':
      return `behind floor ${refused.floor.text}, which this machine has to run first`;
    case 'older':
      return `older than ${refused.than.text}${refused.release.floor ? '; a floor' : ''}`;
  }
}

type OfFiles =
  | 'conflicting-digest'
  | 'no-artifact'
  | 'untrusted-artifact'
  | 'digest-changed'
  | 'unsigned'
  | 'bad-signature';

/** What is against the files of a release, or against what its author said of them. */
function fileWords(refused: Extract<Refusal, { reason: OfFiles }>): string {
  switch (refused.reason) {
    case 'conflicting-digest':
      return conflictWords(refused);
    case 'no-artifact':
      return noArtifactWords(refused);
    case 'untrusted-artifact':
      return `untrusted artifact: ${refused.complaint}`;
    case 'digest-changed':
      return describeDigestChange(refused);
    case 'unsigned':
      return unsignedWords(refused);
    case 'bad-signature':
      return badSignatureWords(refused);
  }
}

function conflictWords({
  platform,
  digests: [one, other],
}: Extract<Refusal, { reason: 'conflicting-digest' }>): string {
  return `two digests for ${excerpt(platform)}: ${excerpt(one)} and ${excerpt(other)}`;
}

function noArtifactWords({
  platform,
  published,
}: Extract<Refusal, { reason: 'no-artifact' }>): string {
  const found = excerpt(published.join(', ')) || 'no platform at all';
  return `no artifact for ${platform}; published for ${found}`;
}

/** Why a release is not old enough, or not known to be. */
function ageWords(
  refused: Extract<Refusal, { reason: 'too-young' | 'unknown-age' | 'not-yet-published' }>,
): Said {
  switch (refused.reason) {
    case 'too-young':
      return say`too young until ${passing(refused.until)}`;
    case 'unknown-age':
      return `unknown age: ${UNKNOWN_AGE[refused.clock ?? 'none']}`;
    case 'not-yet-published':
      return say`not yet published: its publish time is ${passing(refused.publishedAt)}`;
  }
}

/** What the policy of the site refuses, and why (D94). */
export function siteWords({
  versions,
  because,
}: Pick<Extract<Refusal, { reason: 'refused-by-site' }>, 'versions' | 'because'>): string {
  return `refused by the policy of the site: ${versions}${inBrackets(because)}`;
}

/** Why the age of a release is not known, and what to do (D57). */
const UNKNOWN_AGE = {
  none: 'it has no publish time',
  unsynchronized:
    "this machine's clock is not synchronized, and no registry said over https what time it is; synchronize it, or set trust_clock to true in the policy if it is right",
  distrusted:
    "the policy does not trust this machine's clock (trust_clock), and no registry said over https what time it is",
} as const;

/** Why a rollout excludes the machine, in one line. */
export function rolloutWords(refusal: RolloutRefusal): Said {
  const { percent } = refusal;
  switch (refusal.reason) {
    case 'not-in-rollout': {
      const { cohort, share, groups } = refusal;
      if (percent === 0 && groups.length > 0) return groupsFirst(groups);
      const rollout = `the rollout at ${percent} % does not include this machine`;
      return cohort === undefined
        ? `${rollout}: it has no id, so only 100 % include it`
        : `${rollout} yet: cohort ${comparedDecimals(cohort, share).join(' is not below ')}`;
    }
    case 'rollout-halted':
      return `rollout halted at ${percent} %${inBrackets(refusal.because)}`;
    case 'rollout-unconfirmed': {
      const limit = describeDuration(CONFIRMED_WITHIN_MS);
      const found = say`this one was confirmed at ${passing(refusal.confirmedAt)}`;
      return say`its rollout at ${`${percent}`} % needs a list confirmed within ${limit}, and ${found}`;
    }
  }
}

/** The groups that get a release before any percentage does (D107). */
export function groupsFirst(groups: readonly string[]): string {
  return `not in rollout: the ${groups.length === 1 ? 'group' : 'groups'} ${groups.map((one) => excerpt(one)).join(', ')} first`;
}

const MOST_DECIMALS = 15;

/** Two numbers from 0 to 1 with the fewest decimals, two at least, with which they differ and neither is shown as 0. */
function comparedDecimals(one: number, other: number): [string, string] {
  for (let decimals = 2; ; decimals++) {
    const [a, b] = [one.toFixed(decimals), other.toFixed(decimals)];
    const isClear = a !== b && (other === 0 || Number(b) > 0);
    if (isClear || decimals === MOST_DECIMALS) return [a, b];
  }
}

function quarantineWords(refused: Refused & { readonly reason: 'quarantined' }): Said {
  const { until, isRolledBack, because, failedIn, undecided } = refused;
  if (isRolledBack) return say`refused by a rollback on this machine${untilWords(until)}`;
  const why = inBrackets(because);
  const where = failedIn === undefined ? '' : `, because it failed in entry ${excerpt(failedIn)}`;
  if (!undecided) return say`quarantined on this machine${untilWords(until)}${where}${why}`;
  const other = sameAsWords(undecided.sameAs);
  return `undecided: ${other} fails in the same way${where === '' ? '' : ` in entry ${excerpt(failedIn ?? '')}`}${why}; it is tried again once that works`;
}

/** The version that fails in the same way as a release (D80). */
export function sameAsWords(sameAs: string | undefined): string {
  return sameAs === undefined ? 'the version before it' : excerpt(sameAs);
}

/** The end of a term, after what it ends; empty if it has none. */
export function untilWords(until: number | undefined): Said {
  return until === undefined ? '' : say` until ${passing(until)}`;
}

/** A reported reason, after what it explains; empty if it is not known. */
export function inBrackets(because: string | undefined): string {
  return because === undefined || because === '' ? '' : ` (${excerpt(because)})`;
}

export function describeDigestChange({ platform, first, now }: DigestChange): string {
  const found = now === undefined ? 'none' : excerpt(now);
  return `digest changed: ${found} for ${excerpt(platform)}, first seen as ${excerpt(first)}`;
}

export function describeYanked(because: string): string {
  return because === '' ? 'yanked' : `yanked: ${excerpt(because)}`;
}

export function describeDeprecated(because: string): string {
  return because === '' ? 'deprecated' : `deprecated: ${excerpt(because)}`;
}

/** What was expected and where. Characters are counted from 1. */
export function describeMisfit({ position, expected }: Misfit): string {
  return `expected ${expected} at character ${position + 1}`;
}

/** What the selected release is to the constraint: `pinned`, `newest release`; without it, what it would be. */
export function chosenAs(resolution: Resolution): string {
  const newest = newestOf(resolution.input.constraint);
  if (resolution.kind === 'unsatisfied') return newest;
  const newer = newerRefused(resolution, resolution.release.version);
  return newer.length > 0 ? `${newest} that may be selected` : newest;
}

export function newestOf(constraint: Constraint): string {
  return typeOf(constraint).newest(constraint);
}

function describeOther(
  reason: 'other-major' | 'other-minor',
  version: Version,
  { major, minor }: Branch,
): string {
  return reason === 'other-minor'
    ? `minor ${version.minor} is not ${minor}`
    : `major ${version.major} is not ${major}`;
}

/** Floors that are passed without being run: `floor 1.2.0`, `floors 1.2.0 and 1.3.0`. */
export function floorsWords(floors: readonly Version[]): string {
  const texts = firstFew(
    floors.map(({ text }) => text),
    FLOORS_NAMED,
  );
  return `${floors.length === 1 ? 'floor' : 'floors'} ${texts.join(', ')}`;
}
