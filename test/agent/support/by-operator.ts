import { join } from 'node:path';
import { openMachineFile } from '../../../src/store/index.ts';
import { machineStateIn, type MachineState } from '../../../src/store/machine-state.ts';
import type { AgentSite } from '../../support/agent-site.ts';

/** Changes the file of the machine as another process does. */
export function byOperator({ home }: AgentSite, change: (state: MachineState) => unknown): void {
  const file = openMachineFile(join(home, 'machine.db'), { mode: 'write' });
  change(machineStateIn(file));
  file.close();
}
