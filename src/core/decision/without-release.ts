import type { Unsatisfied } from '../releases/resolve.ts';
import { isInBranch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import { comparePrecedence } from '../version/version-order.ts';
import type { Verdict, Failure } from './decision.ts';
import { reasonAgainst } from './failure.ts';

/**
 * The decision if no release may be selected: a deployed version in the branch is kept, even if it was yanked (D7, D20,
 * D30). So is a build of a pin that is not published (D35). `failure` is the quarantine of the deployed version.
 */
export function withoutRelease(
  resolution: Unsatisfied,
  deployed: Version | undefined,
  failure?: Failure,
): Verdict {
  const { input, refusedPin } = resolution;
  const { constraint } = input;
  if (constraint.kind === 'patch' && !refusedPin) {
    const isKept = deployed && !failure && isOrIsBuildOf(constraint.version, deployed);
    return isKept
      ? { kind: 'keep', because: 'up-to-date', resolution }
      : { kind: 'stuck', code: 'pin-not-published', resolution };
  }
  if (deployed && isInBranch(constraint, deployed)) {
    const against = reasonAgainst(deployed, input, failure);
    return { kind: 'keep', because: 'ahead', against, resolution };
  }
  if (!refusedPin) return { kind: 'stuck', code: 'no-match', resolution };
  if (refusedPin.reason !== 'quarantined') {
    return { kind: 'stuck', code: refusedPin.reason, refused: refusedPin, resolution };
  }
  const { release, until, isRolledBack, byOperator, because } = refusedPin;
  const pinFailure = { version: release.version, until, isRolledBack, byOperator, because };
  return { kind: 'stuck', code: 'quarantined', failure: pinFailure, resolution };
}

function isOrIsBuildOf(pin: Version, deployed: Version): boolean {
  if (pin.build !== '') return deployed.text === pin.text;
  return comparePrecedence(pin, deployed) === 0;
}
