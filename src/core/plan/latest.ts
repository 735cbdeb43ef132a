import type { DecideInput } from '../decision/decision.ts';
import { newestPublished } from '../releases/resolve.ts';
import type { Constraint } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';

/** What this machine refuses does not lower the newest version (D31). */
export function latestOf(
  { requirement, list, eligibility }: DecideInput,
  channel: Constraint,
): Version | undefined {
  if ('error' in list || requirement.kind === 'local' || requirement.kind === 'disabled')
    return undefined;
  return newestPublished(channel, list.index, { ...eligibility, firstSeen: list.firstSeen });
}
