import type { AgentEvent } from '../../src/agent/index.ts';
import type { ActionTarget } from '../../src/core/index.ts';
import { deployedText } from '../../src/core/decision/deployed.ts';
import type { MachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { moduleId } from '../support/ask.ts';

/** The module of an agent that upgrades. */
export const TARGET: ActionTarget & { readonly kind: 'module' } = {
  kind: 'module',
  name: 'lidar',
  moduleId: moduleId('acme:lidar'),
};

/** `1.0.4, running, 0 open, failed: 1.0.3 1.0.5`: the version in use, the state of its module, and what failed. */
export function settledIn(
  file: Pick<MachineFile, 'path' | 'database' | 'sql'>,
  state: string,
): string {
  // A cast: reading needs no more of the file.
  const memory = machineStateIn(file as MachineFile).memory();
  const { deployed, quarantine } = memory.of(TARGET);
  const version = deployedText(deployed) ?? deployed.kind;
  const failed = quarantine.map((one) => one.version).join(' ');
  return `${version}, ${state}, ${memory.open.length} open, failed: ${failed}`;
}

/** An event of an agent in a word or two: `trying 1.0.4`, `renamed 1.0.4`, `acknowledged`. */
export function eventIn(event: AgentEvent): string {
  if (event.kind === 'module') return `${event.state} ${event.version ?? ''}`.trim();
  if (event.kind === 'installing') return `${event.step.kind} ${event.version}`;
  if (event.kind === 'started') return `started ${event.version}`;
  return 'action' in event ? `${event.kind} ${event.action.to}` : event.kind;
}
