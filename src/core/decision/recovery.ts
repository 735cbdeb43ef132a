import { refusal, type Resolution } from '../releases/resolve.ts';
import { isInBranch } from '../version/constraint.ts';
import { deployedVersion } from './deployed.ts';
import type { DecideInput, Verdict, Failure } from './decision.ts';
import { withoutRelease } from './without-release.ts';

/**
 * Rolls back to the version that was deployed before the failed one, or else to the newest eligible release, whatever is
 * deployed now (D13, D37).
 */
export function recovery(
  failure: Failure,
  resolution: Resolution,
  { deployed, previous }: DecideInput,
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
  const isPinned = constraint.kind === 'patch' && isInBranch(constraint, failure.version);
  if (isPinned) return { kind: 'stuck', code: 'quarantined', failure, resolution };
  return withoutRelease(resolution, deployedVersion(deployed), failure);
}
