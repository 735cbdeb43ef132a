import { mismatch } from '../version/constraint.ts';
import { termInForce } from '../releases/quarantine.ts';
import { refusal, type ResolveInput, type Resolution } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';
import type { Verdict } from './decision.ts';
import { withoutRelease } from './without-release.ts';

/** A version that runs, and failed on this machine or is one that an operator went back from. */
export interface Failure {
  readonly running: Version;
  readonly until: number | undefined;
  readonly isRolledBack: boolean;
}

/** The quarantine of what runs, or undefined. (D13) */
export function failureOf(
  running: Version,
  { index, eligibility }: ResolveInput,
): Failure | undefined {
  if (!eligibility.quarantine?.length) return undefined;
  const artifacts = index.find(running)?.artifacts;
  const term = termInForce(running, artifacts, eligibility);
  return term && { running, until: term.until, isRolledBack: term.rolledBack !== undefined };
}

/** What ran before, or else the best that there is, at once: nothing holds it. (D13) */
export function recovery(
  { running, until }: Failure,
  resolution: Resolution,
  previous: Version | undefined,
): Verdict {
  const { input } = resolution;
  const { constraint, index } = input;
  const before = previous && index.find(previous);
  const against = before && refusal(input, before)?.reason;
  // It ran here: how long ago it was published says nothing against it.
  if (before && (against === undefined || against === 'too-young' || against === 'unknown-age')) {
    return { kind: 'replace', direction: 'rollback', to: before, resolution };
  }
  if (resolution.kind === 'resolved') {
    return { kind: 'replace', direction: 'rollback', to: resolution.release, resolution };
  }
  const isPinned = constraint.kind === 'patch' && mismatch(constraint, running) === undefined;
  if (isPinned) return { kind: 'stuck', code: 'quarantined', until, resolution };
  return withoutRelease(resolution, running);
}
