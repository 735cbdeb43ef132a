import { expectArgument, having, TEXT, type Expected } from '../text/argument.ts';
import { CONSTRAINT, mismatch, typeOf, type Constraint } from '../version/constraint.ts';
import { constraintOf } from '../version/constraint-argument.ts';
import { ineligible } from './eligibility.ts';
import { withSignedYank } from './minimum-age.ts';
import { behindFloor, isNextFloor } from './floors.ts';
import type { Eligibility } from './eligibility-policy.ts';
import {
  expectEligibility,
  expectEligibilityNames,
  isInRange,
  isMinimumAge,
} from './expected-eligibility.ts';
import type { Refusal, Refused, RefusedPin, RefusedRelease } from './refusal.ts';
import { indexFor, type ReleaseIndex } from './release-index.ts';
import { LIST_OF_RELEASES, type ReleaseRecords } from './release-records.ts';
import {
  artifactFor,
  conflictingDigests,
  type Artifact,
  type Release,
  type ReleaseRecord,
} from './release.ts';
import { compareChecked, comparePrecedence } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';

/** The release that a constraint selects, if there is one, and why every other entry of the list is refused. */
export type Resolution = {
  /** The input of the resolution. */
  readonly input: {
    /** Which releases are accepted. */
    readonly constraint: Constraint;
    /** The release list. */
    readonly index: ReleaseIndex;
    /** Which of the accepted releases the machine may select. */
    readonly eligibility: Eligibility;
  };
} & (
  | {
      readonly kind: 'resolved';
      /** The newest release that may be selected. */
      readonly release: Release;
      /**
       * Every other entry, each with the first reason that applies. Versions come first, newest first, then entries that
       * are not versions. Computed when it is read.
       */
      refused(): Iterable<Refused>;
    }
  | {
      readonly kind: 'unsatisfied';
      /** The pinned release, if it is published but refused; undefined otherwise. */
      readonly refusedPin: RefusedPin | undefined;
      /** Every entry with the first reason that applies, in the same order. Computed when it is read. */
      refused(): Iterable<Refused>;
    }
);

/** The input of a resolution. */
export type ResolveInput = Resolution['input'];

/** A resolution without a release. */
export type Unsatisfied = Extract<Resolution, { kind: 'unsatisfied' }>;

const NO_POLICY: Eligibility = { now: 0 };

/** A release list, or what `indexReleases` takes. */
type Releases = ReleaseIndex | Iterable<ReleaseRecord | string> | ReleaseRecords;

/**
 * Selects the newest release that `constraint` accepts and `eligibility` does not refuse. Pure. The order of the release
 * list does not change the result (D1, D2).
 *
 * The constraint may be text, and the list may be records or versions: the result then also has the file of the selected release.
 * For many queries, `parseConstraint` and `indexReleases` do the work only once. Throws a RangeError if the text cannot be parsed;
 * its `cause` is the error of `parseConstraint`; also if `now` is no time, or the minimum age is below 0.
 *
 * @example
 * ```ts
 * import { resolve } from 'modreg';
 *
 * const files = [{ platform: 'linux/arm64', url: 'https://files.example/lidar-1.2.9.tgz' }];
 * const list = [{ version: '1.2.9', artifacts: files }, { version: '1.3.0' }];
 * const resolution = resolve('1.2.*', list, { now: Date.now(), platform: 'linux/arm64' });
 * if (resolution.kind === 'resolved') console.log(resolution.release.version.text); // 1.2.9
 * console.log(resolution.artifact?.url); // https://files.example/lidar-1.2.9.tgz
 * for (const refused of resolution.refused()) console.log(refused.reason); // other-minor
 * ```
 */
export function resolve(
  constraint: Constraint,
  index: ReleaseIndex,
  eligibility?: Eligibility,
): Resolution;
/** The same for a constraint as text, or a list as records or versions. Throws a RangeError if the text cannot be parsed. */
export function resolve(
  constraint: Constraint | string,
  releases: ReleaseIndex | Iterable<ReleaseRecord | string> | ReleaseRecords,
  eligibility?: Eligibility,
): Resolution & {
  /** The file for the platform of `eligibility`; undefined if no release is selected, it has none for it, or no platform is named. */
  readonly artifact: Artifact | undefined;
};
export function resolve(
  constraint: Constraint | string,
  index: Releases,
  eligibility: Eligibility = NO_POLICY,
): Resolution {
  if (!isQuery(constraint, index, eligibility)) return resolveText(constraint, index, eligibility);
  if (eligibility !== NO_POLICY) expectEligibilityNames('resolve()', 'eligibility', eligibility);
  // A cast: it is one if both are parsed.
  return resolveChecked(constraint as Constraint, index as ReleaseIndex, eligibility);
}

/** The same for text or records, which it parses (D341). Throws if an argument is none of what `resolve` takes. */
function resolveText(
  constraint: Constraint | string,
  releases: Releases,
  eligibility: Eligibility,
): Resolution & { readonly artifact: Artifact | undefined } {
  expectQuery(constraint, releases, eligibility);
  const parsed =
    typeof constraint === 'string' ? constraintOf('resolve()', constraint) : constraint;
  const index = INDEX.is(releases)
    ? (releases as ReleaseIndex)
    : indexFor('resolve()', releases as Iterable<ReleaseRecord | string>);
  const resolution = resolveChecked(parsed, index, eligibility);
  const { platform } = eligibility;
  const release = resolution.kind === 'resolved' ? resolution.release : undefined;
  return { ...resolution, artifact: release && platform && artifactFor(release, platform) };
}

/** The same for arguments of this package. Apart, because V8 no longer inlines a longer function. */
export function resolveChecked(
  constraint: Constraint,
  index: ReleaseIndex,
  eligibility: Eligibility,
): Resolution {
  // A yank is a brake, until an author signed it (D204). Without keys, nothing is signed.
  const judged = eligibility.trust ? withSignedYank(eligibility, index) : eligibility;
  const input = { constraint, index, eligibility: judged };
  let refusedPin: RefusedPin | undefined;
  for (const release of index.candidates(constraint)) {
    const against = refusal(input, release);
    if (!against) {
      if (release.deprecated !== undefined) return preferred(input, release);
      return { kind: 'resolved', input, release, refused: () => refused(input, release) };
    }
    const one = { release, ...against };
    if (constraint.kind === 'patch' && isRefusedPin(one)) refusedPin = one;
  }
  return { kind: 'unsatisfied', input, refusedPin, refused: () => refused(input) };
}

/**
 * The newest release that is neither refused, deprecated nor below the deployed version; `deprecated`, which is the newest that is not
 * refused, if there is none (D96). The next floor has to be run: if that is a build of it, so is the result (D90).
 */
function preferred(input: ResolveInput, deprecated: Release): Resolution {
  const { constraint, index, eligibility } = input;
  const isFloor = isNextFloor(input, deprecated);
  let release = deprecated;
  for (const one of index.candidates(constraint)) {
    if (isBelowDeployed(one, eligibility)) break;
    if (one.deprecated !== undefined || refusal(input, one)) continue;
    if (!isFloor || isNextFloor(input, one)) release = one;
    break;
  }
  return { kind: 'resolved', input, release, refused: () => refused(input, release) };
}

function isBelowDeployed({ version }: Release, { deployed }: Eligibility): boolean {
  return deployed !== undefined && comparePrecedence(version, deployed) < 0;
}

const INDEX: Expected = having('a ReleaseIndex of indexReleases()', 'candidates', 'releases');
const RELEASES: Expected = {
  is: (value) => INDEX.is(value) || LIST_OF_RELEASES.is(value),
  words: `${INDEX.words}, or ${LIST_OF_RELEASES.words}`,
};
const QUERIED: Expected = {
  is: (value) => TEXT.is(value) || CONSTRAINT.is(value),
  words: `${CONSTRAINT.words}, or ${TEXT.words}`,
};

/**
 * Whether arguments that no compiler checked can have their types. Plans resolve often, and a complete check takes a tenth
 * of the time of a query, so this one looks at few fields.
 */
function isQuery(constraint: unknown, index: unknown, eligibility: unknown): boolean {
  const terms = eligibility as Partial<Eligibility> | null | undefined;
  return (
    (constraint as Partial<Constraint> | null | undefined)?.kind !== undefined &&
    (index as Partial<ReleaseIndex> | null | undefined)?.candidates !== undefined &&
    typeof terms?.now === 'number' &&
    (terms.minimumAge === undefined || isMinimumAge(terms.minimumAge)) &&
    isInRange({ now: terms.now, minimumAge: terms.minimumAge })
  );
}

/** Throws the TypeError for the first argument that does not have its type, or the RangeError for a number out of range. */
function expectQuery(constraint: unknown, index: unknown, eligibility: Eligibility): void {
  expectArgument('resolve()', 'constraint', constraint, QUERIED);
  expectArgument('resolve()', 'index', index, RELEASES);
  expectEligibility('resolve()', 'eligibility', eligibility);
}

/** The only candidate of a pin is the release with its text (D35). */
function isRefusedPin(one: Refusal & { readonly release: Release }): one is RefusedPin {
  return one.reason !== 'other-version';
}

/** The newest version that `constraint` accepts, whatever this machine refuses; undefined if there is none (D31). */
export function newestPublished(
  constraint: Constraint,
  index: ReleaseIndex,
  { now, platform, notAfter, firstSeen }: Eligibility,
): Version | undefined {
  const input = { constraint, index, eligibility: { now, platform, notAfter, firstSeen } };
  for (const release of index.candidates(constraint)) {
    if (!refusal(input, release)) return release.version;
  }
  return undefined;
}

/** The releases that the constraint accepts and that are newer than `version`, newest first, each with its reason (D31). */
export function newerRefused(resolution: Resolution, version: Version): RefusedRelease[] {
  const { input } = resolution;
  const chosen = resolution.kind === 'resolved' ? resolution.release : undefined;
  const newer: RefusedRelease[] = [];
  for (const release of input.index.candidates(input.constraint)) {
    if (compareChecked(release.version, version) <= 0) break;
    const found = refusal(input, release) ?? (chosen && passedOver(release, chosen));
    if (found) newer.push({ release, ...found });
  }
  return newer;
}

/** The newest release that the constraint accepts, if it is refused, with the reason. */
export function newestRefused({ input }: Resolution): RefusedRelease | undefined {
  const [release] = input.index.candidates(input.constraint);
  const found = release && refusal(input, release);
  return release && found && { release, ...found };
}

/**
 * Why `release` cannot be selected: the first reason in the order of the decision table, which begins with two digests
 * for one platform (D11); undefined if it could be.
 */
export function refusal(input: ResolveInput, release: Release): Refusal | undefined {
  const conflict = conflictingDigests(release);
  if (conflict) return { reason: 'conflicting-digest', ...conflict };
  const { constraint } = input;
  const reason = mismatch(constraint, release.version);
  if (reason) return { reason };
  if (release.prerelease && !typeOf(constraint).acceptsPrereleases) return { reason: 'prerelease' };
  // The floor after these, so that what is behind one (D90) is otherwise eligible. Signatures last, because checking one takes long.
  return (
    ineligible(input, release) ?? behindFloor(input, release) ?? lacksSignatures(input, release)
  );
}

/** Why `release` lacks signatures that it needs, whatever else is against it; undefined if it has them or needs none (D133). */
export function lacksSignatures(
  { eligibility: { trust } }: Pick<ResolveInput, 'eligibility'>,
  release: Release,
): Refusal | undefined {
  return trust && trust.check(release);
}

/** Why a release that nothing refuses is not selected although it is newer than `chosen`; undefined if it is not newer (D96). */
function passedOver({ version, deprecated }: Release, chosen: Release): Refusal | undefined {
  if (deprecated === undefined || compareChecked(version, chosen.version) <= 0) return undefined;
  return { reason: 'deprecated', because: deprecated, preferred: chosen.version };
}

/** Every entry that is not `chosen`, each with one reason. What nothing else refuses is older than `chosen` (D1). */
function* refused(input: ResolveInput, chosen?: Release): Iterable<Refused> {
  const { index, eligibility } = input;
  // No signature of what is older than the chosen one is checked.
  const older = eligibility.trust
    ? { ...input, eligibility: { ...eligibility, trust: undefined } }
    : input;
  for (const release of index.releases()) {
    if (release.version.text === chosen?.version.text) continue;
    const isOlder = chosen !== undefined && compareChecked(release.version, chosen.version) < 0;
    const found =
      refusal(isOlder ? older : input, release) ??
      (chosen && (passedOver(release, chosen) ?? { reason: 'older', than: chosen.version }));
    if (found) yield { release, ...found };
  }
  for (const error of index.unreadable()) yield { reason: 'not-a-version', error };
}
