import type { Eligibility } from '../releases/eligibility-policy.ts';
import { confirmedAtOf } from './confirmed-at.ts';
import type { DecideInput } from './decision.ts';
import { deployedVersion } from './deployed.ts';
import type { ModuleList } from './module-list.ts';

/** What refuses releases of a module besides its list: the terms of the policy, and what the machine knows. */
export type ModuleTerms = Pick<
  DecideInput,
  'eligibility' | 'deployed' | 'failed' | 'quarantine' | 'skippedFloors'
>;

/** Which releases of `list` a machine may select for a module. */
export function eligibilityOf(
  { eligibility, deployed, failed, quarantine, skippedFloors: skipped }: ModuleTerms,
  list: Omit<Extract<ModuleList, { readonly index: unknown }>, 'index'>,
): Eligibility {
  const { changedDigests, firstSeen, clock, trust } = list;
  const version = deployedVersion(deployed);
  const rollouts = {
    machineId: eligibility.machineId,
    group: eligibility.group,
    confirmedAt: confirmedAtOf(list),
    deployed: version?.text,
  };
  // After a failure it may not be known what is deployed; the machine is not new (D37).
  const last = deployed.kind === 'unknown' ? failed : version;
  const floors = { deployed: last, skipped };
  // A plan does this for each module and moment: only the first spread of a literal is fast.
  return {
    ...eligibility,
    deployed: version,
    quarantine,
    changedDigests,
    firstSeen,
    clock,
    rollouts,
    floors,
    trust,
  };
}
