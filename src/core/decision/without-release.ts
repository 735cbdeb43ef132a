import { isInBranch } from '../version/constraint.ts';
import { refusedPin } from '../releases/refused-pin.ts';
import type { Unsatisfied } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';
import type { Verdict } from './decision.ts';

/** Where the list has nothing that may be chosen: what runs in the branch stays. (D20, D30) */
export function withoutRelease(resolution: Unsatisfied, running: Version | undefined): Verdict {
  const { input } = resolution;
  const { constraint } = input;
  const isCovered = running !== undefined && isInBranch(constraint, running);
  const refused = constraint.kind === 'patch' ? refusedPin(input, constraint.version) : undefined;
  if (constraint.kind === 'patch' && !refused) {
    return isCovered
      ? { kind: 'keep', because: 'up-to-date', resolution }
      : { kind: 'stuck', code: 'pin-not-published', resolution };
  }
  if (isCovered) return { kind: 'keep', because: 'ahead', resolution };
  if (!refused) return { kind: 'stuck', code: 'no-match', resolution };
  return refused.reason === 'quarantined'
    ? { kind: 'stuck', code: refused.reason, until: refused.until, resolution }
    : { kind: 'stuck', code: refused.reason, refused, resolution };
}
