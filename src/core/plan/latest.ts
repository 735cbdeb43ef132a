import type { DecideInput } from '../decision/decision.ts';
import { newestPublished } from '../releases/resolve.ts';
import type { Constraint } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';

/** The newest release that the constraint itself accepts, whatever this machine refuses; undefined if there is none, or no constraint. */
export function newestAcceptedOf(input: DecideInput): Version | undefined {
  const { requirement } = input;
  return requirement.kind === 'pin-url' ||
    requirement.kind === 'local' ||
    requirement.kind === 'disabled'
    ? undefined
    : latestOf(input, requirement);
}

/** What this machine refuses does not lower the newest version (D31). */
export function latestOf(
  { requirement, list, eligibility }: DecideInput,
  channel: Constraint,
): Version | undefined {
  if ('error' in list || requirement.kind === 'local' || requirement.kind === 'disabled')
    return undefined;
  return newestPublished(channel, list.index, { ...eligibility, firstSeen: list.firstSeen });
}
