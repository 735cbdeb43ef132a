import type { Release } from '../releases/release.ts';
import { refusal, type Resolution } from '../releases/resolve.ts';
import { isInBranch } from '../version/constraint.ts';
import { deployedText, deployedVersion } from './deployed.ts';
import type { DecideInput, Verdict, Failure } from './decision.ts';
import { withoutRelease } from './without-release.ts';

/**
 * Rolls back to the version that was deployed before the failed one, or else to the newest eligible release, whatever is
 * deployed now (D13, D37). Undefined if that release is already deployed.
 */
export function recovery(
  failure: Failure,
  resolution: Resolution,
  { deployed, previous }: DecideInput,
): Verdict | undefined {
  const { input } = resolution;
  const { constraint, index } = input;
  const backTo = (to: Release): Verdict | undefined => {
    if (deployedText(deployed) === to.version.text) return undefined;
    return { kind: 'replace', direction: 'rollback', failure, resolution, to };
  };
  const release = previous && index.find(previous);
  const against = release && refusal(input, release)?.reason;
  // The previous version was already deployed on this machine, so the minimum age does not apply to it.
  if (release && (against === undefined || against === 'too-young' || against === 'unknown-age')) {
    return backTo(release);
  }
  if (resolution.kind === 'resolved') return backTo(resolution.release);
  const isPinned = constraint.kind === 'patch' && isInBranch(constraint, failure.version);
  if (isPinned) return { kind: 'stuck', code: 'quarantined', failure, resolution };
  const isDeployed = deployedText(deployed) === failure.version.text;
  return withoutRelease(resolution, deployedVersion(deployed), isDeployed ? failure : undefined);
}
