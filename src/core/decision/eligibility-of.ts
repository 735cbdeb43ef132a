import type { Eligibility } from '../releases/eligibility-policy.ts';
import { confirmedAtOf } from './confirmed-at.ts';
import type { DecideInput } from './decision.ts';
import { deployedVersion } from './deployed.ts';
import type { ModuleList } from './module-list.ts';

/** What refuses releases of a module besides its list: the terms of the policy, and what the machine knows. */
export type ModuleTerms = Pick<DecideInput, 'eligibility' | 'deployed' | 'quarantine'>;

/** Which releases of `list` a machine may select for a module. */
export function eligibilityOf(
  { eligibility, deployed, quarantine }: ModuleTerms,
  list: Omit<Extract<ModuleList, { readonly index: unknown }>, 'index'>,
): Eligibility {
  const { changedDigests, firstSeen, clock } = list;
  const version = deployedVersion(deployed);
  const rollouts = {
    machineId: eligibility.machineId,
    confirmedAt: confirmedAtOf(list),
    deployed: version?.text,
  };
  const known = { deployed: version, quarantine, changedDigests, firstSeen, clock, rollouts };
  return { ...eligibility, ...known };
}
