import { deployedVersion } from '../../core/decision/deployed.ts';
import type { Eligibility, ModuleId, Result } from '../../core/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { currentInput } from '../../host/restored-input.ts';
import { rowNamed, targetOf } from '../../host/machine-row.ts';
import { inFile } from '../../host/open-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** What a machine refuses of a module, and the entry whose terms these are. */
export interface MachineEligibility {
  readonly name: string;
  readonly eligibility: Pick<
    Eligibility,
    'quarantine' | 'minimumAge' | 'clock' | 'artifactRules' | 'platform' | 'rollouts'
  >;
}

/** What this machine refuses of the module: its quarantine, and the terms of its poller's last decision. */
export function machineEligibility(
  moduleId: ModuleId,
  world: World,
): Result<MachineEligibility, Problem[]> {
  return inFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const row = rowNamed(moduleId, state.decisions());
    if (!row.ok) return row;
    const { name } = row.value;
    const input = currentInput(targetOf(row.value), state, savedListsIn(file), world.clock());
    if (!input.ok) {
      const message = `what this machine refuses of ${moduleId} is not known: ${input.error}`;
      return { ok: false, error: [{ severity: 'error', kind: 'not-recorded', message }] };
    }
    const { quarantine, deployed, eligibility, list } = input.value;
    const { minimumAge, artifactRules, platform, machineId } = eligibility;
    const rollouts = { machineId, deployed: deployedVersion(deployed)?.text };
    // The terms say whether the clock is trusted, and only the poller knows them.
    const clock = 'error' in list ? undefined : list.clock;
    const own = { quarantine, minimumAge, clock, artifactRules, platform, rollouts };
    return { ok: true, value: { name, eligibility: own } };
  });
}
