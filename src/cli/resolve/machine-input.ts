import type { DecideInput, ModuleId, Result } from '../../core/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { currentInput } from '../../host/restored-input.ts';
import { rowNamed, targetOf } from '../../host/machine-row.ts';
import { clockReading } from '../../host/clock-reading.ts';
import { inFile } from '../../host/open-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** The input of a machine's next decision on a module, and the entry that it is about. */
export interface MachineInput {
  readonly name: string;
  readonly input: DecideInput;
}

/** What this machine refuses of the module: its quarantine, and the terms of its poller's last decision. */
export function machineInput(moduleId: ModuleId, world: World): Result<MachineInput, Problem[]> {
  return inFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const row = rowNamed(moduleId, state.decisions());
    if (!row.ok) return row;
    const { name } = row.value;
    const input = currentInput(targetOf(row.value), state, savedListsIn(file), clockReading(world));
    if (!input.ok) {
      const message = `what this machine refuses of ${moduleId} is not known: ${input.error}`;
      return { ok: false, error: [{ severity: 'error', kind: 'not-recorded', message }] };
    }
    return { ok: true, value: { name, input: input.value } };
  });
}
