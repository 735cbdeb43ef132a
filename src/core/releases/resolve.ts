import { mismatch, type Constraint } from '../version/constraint.ts';
import { ineligible } from './eligibility.ts';
import type { Eligibility } from './eligibility-policy.ts';
import type { Refusal, Refused, RefusedPin } from './refusal.ts';
import type { ReleaseIndex } from './release-index.ts';
import { conflictingDigests, type Release } from './release.ts';

/** The input of a resolution. */
export interface ResolveInput {
  /** Which releases are accepted. */
  readonly constraint: Constraint;
  /** The release list. */
  readonly index: ReleaseIndex;
  /** Which of the accepted releases the machine may select. */
  readonly eligibility: Eligibility;
}

/** The release that a constraint selects, if there is one, and why every other entry of the list is refused. */
export type Resolution =
  | {
      readonly kind: 'resolved';
      /** The input of the resolution. */
      readonly input: ResolveInput;
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
      /** The input of the resolution. */
      readonly input: ResolveInput;
      /** The pinned release, if it is published but refused; undefined otherwise. */
      readonly refusedPin: RefusedPin | undefined;
      /** Every entry with the first reason that applies, in the same order. Computed when it is read. */
      refused(): Iterable<Refused>;
    };

/** A resolution without a release. */
export type Unsatisfied = Extract<Resolution, { kind: 'unsatisfied' }>;

const NO_POLICY: Eligibility = { now: 0 };

/**
 * Selects the newest release that `constraint` accepts and `eligibility` does not refuse. Pure. The order of the release
 * list does not change the result (Versioning, Module version types).
 *
 * @example
 * ```ts
 * import { indexReleases, parseConstraint, resolve } from 'modreg';
 *
 * const constraint = parseConstraint('1.2.*');
 * if (!constraint.ok) throw new Error(constraint.error.message);
 * const index = indexReleases([{ version: '1.2.9' }, { version: '1.3.0' }]);
 * const resolution = resolve(constraint.value, index, { now: Date.now(), platform: 'linux/arm64' });
 * if (resolution.kind === 'resolved') console.log(resolution.release.version.text); // 1.2.9
 * for (const refused of resolution.refused()) console.log(refused.reason); // other-minor
 * ```
 */
export function resolve(
  constraint: Constraint,
  index: ReleaseIndex,
  eligibility: Eligibility = NO_POLICY,
): Resolution {
  const input = { constraint, index, eligibility };
  let refusedPin: RefusedPin | undefined;
  for (const release of index.candidates(constraint)) {
    const against = refusal(input, release);
    if (!against) {
      return { kind: 'resolved', input, release, refused: () => refused(input, release) };
    }
    const one = { release, ...against };
    if (constraint.kind === 'patch' && isRefusedPin(one)) refusedPin ??= one;
  }
  return { kind: 'unsatisfied', input, refusedPin, refused: () => refused(input) };
}

/** If the exact text of the pin is published, the pin does not mean the other builds of its version (D3). */
function isRefusedPin(one: Refusal & { readonly release: Release }): one is RefusedPin {
  return one.reason !== 'other-version';
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
  if (isOtherBuild(input, release)) return { reason: 'other-version' };
  return ineligible(input, release);
}

/** A pin whose exact text is published selects that release and no other build of it (D3). */
function isOtherBuild({ constraint, index }: ResolveInput, { version }: Release): boolean {
  if (constraint.kind !== 'patch' || version.text === constraint.version.text) return false;
  return index.find(constraint.version) !== undefined;
}

/** Every entry that is not `chosen`, each with one reason. What nothing else refuses is older than `chosen` (D1). */
function* refused(input: ResolveInput, chosen?: Release): Iterable<Refused> {
  const { index } = input;
  for (const release of index.releases()) {
    if (release.version.text === chosen?.version.text) continue;
    const found = refusal(input, release) ?? (chosen && { reason: 'older', than: chosen.version });
    if (found) yield { release, ...found };
  }
  for (const error of index.unreadable()) yield { reason: 'not-a-version', error };
}
