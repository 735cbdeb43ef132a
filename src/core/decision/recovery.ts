import { refusal, type Resolution } from '../releases/resolve.ts';
import { mismatch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import type { Verdict, Failure } from './decision.ts';
import { withoutRelease } from './without-release.ts';

/** The version before the one that failed, or else the best that there is, at once: nothing holds it. (D13) */
export function recovery(
  failure: Failure,
  resolution: Resolution,
  previous: Version | undefined,
): Verdict {
  const { input } = resolution;
  const { constraint, index } = input;
  const rollback = { kind: 'replace', direction: 'rollback', failure, resolution } as const;
  const before = previous && index.find(previous);
  const against = before && refusal(input, before)?.reason;
  // It was deployed here: how long ago it was published says nothing against it.
  if (before && (against === undefined || against === 'too-young' || against === 'unknown-age')) {
    return { ...rollback, to: before };
  }
  if (resolution.kind === 'resolved') return { ...rollback, to: resolution.release };
  const isPinned =
    constraint.kind === 'patch' && mismatch(constraint, failure.version) === undefined;
  if (isPinned) return { kind: 'stuck', code: 'quarantined', failure, resolution };
  return withoutRelease(resolution, failure.version, failure);
}
