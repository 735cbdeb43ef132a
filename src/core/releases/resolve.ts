import { mismatch, type Constraint } from '../version/constraint.ts';
import { ineligible } from './eligibility.ts';
import type { Eligibility } from './eligibility-policy.ts';
import type { PinRefusal, Refusal, Refused, RefusedPin } from './refusal.ts';
import type { ReleaseIndex } from './release-index.ts';
import { conflictingDigests, type Release } from './release.ts';

/** What is asked of a release list. */
export interface ResolveInput {
  readonly constraint: Constraint;
  readonly index: ReleaseIndex;
  readonly eligibility: Eligibility;
}

/**
 * The release that a constraint means, or that there is none. `refused` gives every other entry of
 * the list, newest version first and then what is not a version, each with exactly one reason: the
 * first that applies in the order of the decision table. It is computed when it is read.
 */
export type Resolution =
  | {
      readonly kind: 'resolved';
      readonly input: ResolveInput;
      readonly release: Release;
      refused(): Iterable<Refused>;
    }
  | {
      readonly kind: 'unsatisfied';
      readonly input: ResolveInput;
      /** What a pin names, where that is published and refused; undefined where it is not published. */
      readonly refusedPin: RefusedPin | undefined;
      refused(): Iterable<Refused>;
    };

export type Unsatisfied = Resolution & { readonly kind: 'unsatisfied' };

const ANYTHING: Eligibility = { now: 0 };

/** The newest eligible release that `constraint` accepts. (Versioning, Module version types) */
export function resolve(
  constraint: Constraint,
  index: ReleaseIndex,
  eligibility: Eligibility = ANYTHING,
): Resolution {
  const input = { constraint, index, eligibility };
  const judge: Judge = (release) => refusal(input, release);
  let refusedPin: RefusedPin | undefined;
  for (const release of index.candidates(constraint)) {
    const against = judge(release);
    if (!against) {
      return { kind: 'resolved', input, release, refused: () => refused(index, judge, release) };
    }
    if (constraint.kind === 'patch' && isOfPins(against)) refusedPin ??= { release, ...against };
  }
  return { kind: 'unsatisfied', input, refusedPin, refused: () => refused(index, judge) };
}

/** Of several builds none is meant that the pin's own text stands beside. (D3) */
function isOfPins(against: Refusal): against is PinRefusal {
  return against.reason !== 'other-version';
}

/** Why a release cannot be the answer, or undefined when it could. */
type Judge = (release: Release) => Refusal | undefined;

/** Why `release` cannot be the answer: the first reason that applies, in the order of the decision table. */
export function refusal(input: ResolveInput, release: Release): Refusal | undefined {
  const conflict = conflictingDigests(release);
  if (conflict) return { reason: 'conflicting-digest', ...conflict };
  const { constraint } = input;
  const reason = mismatch(constraint, release.version);
  if (reason) return { reason };
  if (isOtherBuild(input, release)) return { reason: 'other-version' };
  return ineligible(input, release);
}

/** A pin whose exact text is published means that release and no other build of it. (D3) */
function isOtherBuild({ constraint, index }: ResolveInput, { version }: Release): boolean {
  if (constraint.kind !== 'patch' || version.text === constraint.version.text) return false;
  return index.find(constraint.version) !== undefined;
}

function* refused(index: ReleaseIndex, judge: Judge, chosen?: Release): Iterable<Refused> {
  for (const release of index.releases()) {
    if (release.version.text === chosen?.version.text) continue;
    const found = judge(release) ?? (chosen && { reason: 'older', than: chosen.version });
    if (found) yield { release, ...found };
  }
  for (const error of index.unreadable()) yield { reason: 'not-a-version', error };
}
