import { mismatch, type Constraint } from './constraint.ts';
import { ineligible } from './eligibility/eligibility.ts';
import type { Eligibility } from './eligibility/policy.ts';
import type { Refusal, Refused } from './refusal.ts';
import type { ReleaseIndex } from './release-index.ts';
import { conflictingDigests, type Release } from './release.ts';

/** What is asked of a release list. */
export interface Question {
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
      readonly question: Question;
      readonly release: Release;
      refused(): Iterable<Refused>;
    }
  | { readonly kind: 'unsatisfied'; readonly question: Question; refused(): Iterable<Refused> };

const ANYTHING: Eligibility = { now: 0 };

/** The newest eligible release that `constraint` accepts. (Versioning, Module version types) */
export function resolve(
  constraint: Constraint,
  index: ReleaseIndex,
  eligibility: Eligibility = ANYTHING,
): Resolution {
  const question = { constraint, index, eligibility };
  for (const release of index.candidates(constraint)) {
    if (refusal(question, release)) continue;
    return { kind: 'resolved', question, release, refused: () => refused(question, release) };
  }
  return { kind: 'unsatisfied', question, refused: () => refused(question) };
}

/** Why `release` cannot be the answer, or undefined when it could. */
function refusal(question: Question, release: Release): Refusal | undefined {
  const { constraint, index } = question;
  const conflict = conflictingDigests(release);
  if (conflict) return { reason: 'conflicting-digest', ...conflict };
  const reason = mismatch(constraint, release.version) ?? misses(constraint, index, release);
  return reason ? { reason } : ineligible(question, release);
}

/** A pin whose exact text is published means that release and no other build of it. (D3) */
function misses(
  constraint: Constraint,
  index: ReleaseIndex,
  { version }: Release,
): 'other-version' | undefined {
  if (constraint.kind !== 'patch' || version.text === constraint.version.text) return undefined;
  return index.has(constraint.version) ? 'other-version' : undefined;
}

function* refused(question: Question, chosen?: Release): Iterable<Refused> {
  for (const release of question.index.releases()) {
    if (release === chosen) continue;
    const found =
      refusal(question, release) ?? (chosen && { reason: 'older' as const, than: chosen.version });
    if (found) yield { release, ...found };
  }
  for (const error of question.index.unreadable()) yield { reason: 'not-a-version', error };
}
