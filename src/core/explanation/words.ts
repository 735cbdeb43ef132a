import type { RestartRequest } from '../decision/decision.ts';
import { formatConstraint, type Constraint } from '../version/constraint.ts';
import type { Misfit } from '../text/parse-error.ts';
import { excerpt } from '../text/quote.ts';
import type { Refused } from '../releases/refusal.ts';
import type { DigestChange } from '../releases/release.ts';
import { newerRefused, type Resolution } from '../releases/resolve.ts';
import { CONFIRMED_WITHIN_MS, type RolloutRefusal } from '../releases/rollout-refusal.ts';
import { describeDuration } from '../text/duration.ts';
import { formatTime } from '../text/rfc3339.ts';
import type { Version } from '../version/version.ts';

/** The rule of a constraint in one line. */
export function describeConstraint(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'patch':
      return `patch: ${constraint.version.text} and no other`;
    case 'minor':
    case 'major':
      return `${constraint.kind}: ${describeBranch(constraint)}, releases only`;
    case 'latest':
      return 'latest: the newest release';
    case 'latest-with-prerelease':
      return 'latest-with-prerelease: the newest release or prerelease';
  }
}

/** The versions of a floating constraint's branch: `1.2.0 ≤ version < 1.3.0`. */
export function describeBranch(constraint: Constraint & { kind: 'minor' | 'major' }): string {
  const { major } = constraint;
  if (constraint.kind === 'major') return `${major}.0.0 ≤ version < ${major + 1}.0.0`;
  const { minor } = constraint;
  return `${major}.${minor}.0 ≤ version < ${major}.${minor + 1}.0`;
}

/** Why the release is selected, in one line. */
export function describeChosen(resolution: Resolution & { readonly kind: 'resolved' }): string {
  const { yanked, deprecated } = resolution.release;
  return [
    chosenAs(resolution),
    ...(yanked === undefined ? [] : [describeYanked(yanked)]),
    ...(deprecated === undefined ? [] : [describeDeprecated(deprecated)]),
  ].join('; ');
}

/** Why `constraint` does not select `refused`, in one line. */
export function describeRefused(refused: Refused, constraint: Constraint): string {
  if ('percent' in refused) return describeRollout(refused);
  switch (refused.reason) {
    case 'not-a-version':
      return `not a version: ${describeMisfit(refused.error)}`;
    case 'conflicting-digest': {
      const [one, other] = refused.digests;
      return `two digests for ${excerpt(refused.platform)}: ${excerpt(one)} and ${excerpt(other)}`;
    }
    case 'other-major':
    case 'other-minor':
      return describeOtherBranch(refused.release.version, constraint);
    case 'other-version':
      return `not ${formatConstraint(constraint)}`;
    case 'prerelease':
      return 'prerelease; only latest-with-prerelease accepts prereleases';
    case 'yanked':
      return describeYanked(refused.because);
    case 'no-artifact': {
      const published = excerpt(refused.published.join(', ')) || 'no platform at all';
      return `no artifact for ${refused.platform}; published for ${published}`;
    }
    case 'untrusted-artifact':
      return `untrusted artifact: ${refused.complaint}`;
    case 'digest-changed':
      return describeDigestChange(refused);
    case 'quarantined':
      return describeQuarantine(refused);
    case 'too-young':
      return `too young until ${formatTime(refused.until)}`;
    case 'unknown-age':
      return `unknown age: ${UNKNOWN_AGE[refused.clock ?? 'none']}`;
    case 'not-yet-published':
      return `not yet published: its publish time is ${formatTime(refused.publishedAt)}`;
    case 'older':
      return `older than ${refused.than.text}`;
  }
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
export function describeRollout(refusal: RolloutRefusal): string {
  const { percent } = refusal;
  switch (refusal.reason) {
    case 'not-in-rollout': {
      const { cohort, share } = refusal;
      const rollout = `the rollout at ${percent} % does not include this machine`;
      return cohort === undefined
        ? `${rollout}: it has no id, so only 100 % include it`
        : `${rollout} yet: cohort ${comparedDecimals(cohort, share).join(' is not below ')}`;
    }
    case 'rollout-halted':
      return `rollout halted at ${percent} %${inBrackets(refusal.because)}`;
    case 'rollout-unconfirmed': {
      const limit = describeDuration(CONFIRMED_WITHIN_MS);
      const found = `this one was confirmed at ${formatTime(refusal.confirmedAt)}`;
      return `its rollout at ${percent} % needs a list confirmed within ${limit}, and ${found}`;
    }
  }
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

function describeQuarantine(refused: Refused & { readonly reason: 'quarantined' }): string {
  const { until, isRolledBack, because } = refused;
  const term = until === undefined ? '' : ` until ${formatTime(until)}`;
  if (isRolledBack) return `refused by a rollback on this machine${term}`;
  return `quarantined on this machine${term}${inBrackets(because)}`;
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
  switch (constraint.kind) {
    case 'patch':
      return 'pinned';
    case 'minor':
      return `newest patch of ${constraint.major}.${constraint.minor}`;
    case 'major':
      return `newest release of ${constraint.major}`;
    case 'latest':
      return 'newest release';
    case 'latest-with-prerelease':
      return 'newest release or prerelease';
  }
}

function describeOtherBranch({ major, minor }: Version, constraint: Constraint): string {
  if (constraint.kind === 'minor' && major === constraint.major) {
    return `minor ${minor} is not ${constraint.minor}`;
  }
  return `major ${major} is not ${formatConstraint(constraint).split('.')[0]}`;
}

/** The restart that an operator requested (D41). */
export function describeRequest({ requestedAt, isImmediate }: RestartRequest): string {
  const restart = isImmediate ? 'an immediate restart' : 'a restart';
  return `an operator requested ${restart} at ${formatTime(requestedAt)}`;
}
