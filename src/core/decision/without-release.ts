import type { Unsatisfied } from '../releases/resolve.ts';
import { isInBranch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import type { Verdict, Failure } from './decision.ts';
import { speaksAgainst } from './failure.ts';

/**
 * Where the list has nothing that may be chosen: a deployed version of the branch stays. `failure` is that of the
 * deployed version, if it failed. (D20, D30)
 */
export function withoutRelease(
  resolution: Unsatisfied,
  deployed: Version | undefined,
  failure?: Failure,
): Verdict {
  const { input, refusedPin } = resolution;
  const { constraint } = input;
  const isCovered = deployed !== undefined && isInBranch(constraint, deployed);
  if (constraint.kind === 'patch' && !refusedPin) {
    return isCovered
      ? { kind: 'keep', because: 'up-to-date', resolution }
      : { kind: 'stuck', code: 'pin-not-published', resolution };
  }
  if (isCovered) {
    const against = speaksAgainst(deployed, input, failure);
    return { kind: 'keep', because: 'ahead', against, resolution };
  }
  if (!refusedPin) return { kind: 'stuck', code: 'no-match', resolution };
  if (refusedPin.reason !== 'quarantined') {
    return { kind: 'stuck', code: refusedPin.reason, refused: refusedPin, resolution };
  }
  const { release, until, isRolledBack } = refusedPin;
  const ofPin = { version: release.version, until, isRolledBack };
  return { kind: 'stuck', code: 'quarantined', failure: ofPin, resolution };
}
