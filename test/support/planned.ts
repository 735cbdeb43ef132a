import { DEFAULT_POLICY, readMachine } from '../../src/config/index.ts';
import {
  indexReleases,
  planMachine,
  readDeployed,
  type ModuleState,
  type PlanInput,
  type Plan,
} from '../../src/core/index.ts';
import type { AgentConfiguration, Machine } from '../../src/core/machine/machine.ts';
import { records, type Published } from './ask.ts';
import { NOW } from './decides.ts';

/** A component of a machine config, with its model and its dependencies. */
export function component(name: string, model: string, ...depends_on: string[]): object {
  return { name, model, type: 'sensor', namespace: 'rdk', depends_on };
}

/** A module entry, named after its module_id by default. */
export function entry(module_id: string, version: string, name?: string): object {
  return { type: 'registry', name: name ?? module_id.replace(':', '_'), module_id, version };
}

interface MachineDocument {
  readonly components?: readonly object[];
  readonly modules?: readonly object[];
  readonly agent?: object;
}

/** The machine of a valid document. */
function machineOf(document: MachineDocument): Machine {
  const read = readMachine(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

export function agentOf(agent: object): AgentConfiguration {
  return machineOf({ agent }).agent;
}

/** The state of a module: its deployed version and its published releases. */
export function known(
  deployed: string | null | undefined,
  published: readonly Published[],
  more: Partial<ModuleState> = {},
): ModuleState {
  const list = { index: indexReleases(records(published)) };
  return { list, deployed: readDeployed(deployed), ...more };
}

/** The input of a plan for the machine in `document`. Absent fields restrict nothing. */
export function machineQuestion(
  document: MachineDocument,
  modules: Readonly<Record<string, ModuleState>>,
  more: Partial<PlanInput> = {},
): PlanInput {
  return {
    machine: machineOf(document),
    policy: DEFAULT_POLICY,
    platform: 'linux/arm64',
    now: NOW,
    modules: new Map(Object.entries(modules)),
    subsystems: new Map(),
    isServerBusy: false,
    ...more,
  };
}

export function plan(...input: Parameters<typeof machineQuestion>): Plan {
  return planMachine(machineQuestion(...input));
}

/** Each restart with its actions and the components that it stops: `modules: acme_lidar upgrade 1.2.9 | base < lidar, lidar`. */
export function restarts({ restarts: all }: Plan): string[] {
  return all.map(({ of, actions, stops }) => {
    const done = actions.map(({ target, direction, to }) => `${target.name} ${direction} ${to}`);
    const stopped = stops.map(({ component: name, dependsOn }) => [name, ...dependsOn].join(' < '));
    return `${of}: ${done.join(', ')} | ${stopped.join(', ')}`;
  });
}
