import { refusal, type Resolution } from '../releases/resolve.ts';
import { mismatch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import type { Verdict, Failure } from './decision.ts';
import { withoutRelease } from './without-release.ts';

/** Rolls back to the version that was deployed before the failed one, or else to the newest eligible release (D13). */
export function recovery(
  failure: Failure,
  resolution: Resolution,
  previous: Version | undefined,
): Verdict {
  const { input } = resolution;
  const { constraint, index } = input;
  const rollback = { kind: 'replace', direction: 'rollback', failure, resolution } as const;
  const release = previous && index.find(previous);
  const against = release && refusal(input, release)?.reason;
  // The previous version was already deployed on this machine, so the minimum age does not apply to it.
  if (release && (against === undefined || against === 'too-young' || against === 'unknown-age')) {
    return { ...rollback, to: release };
  }
  if (resolution.kind === 'resolved') return { ...rollback, to: resolution.release };
  const isPinned =
    constraint.kind === 'patch' && mismatch(constraint, failure.version) === undefined;
  if (isPinned) return { kind: 'stuck', code: 'quarantined', failure, resolution };
  return withoutRelease(resolution, failure.version, failure);
}
