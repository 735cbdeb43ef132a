import type { Machine } from '../machine/machine.ts';
import type { ActionTarget } from './action.ts';
import { targetsOf, type Configuration } from './configuration.ts';
import type { Remembered } from './machine-memory.ts';
import type { ModuleState, Plan, PlanInput, PlanRow } from './plan.ts';
import { deployedIn } from './required.ts';
import type { VersionedSubsystem } from './subsystem.ts';

/** What is known about a module or subsystem, except its release list. */
export type TargetFacts = (target: ActionTarget) => Omit<ModuleState, 'list'>;

/** The input of a plan, except the configuration. */
export type Circumstances = Omit<PlanInput, 'machine' | 'policy' | 'modules' | 'subsystems'> & {
  readonly knownOf: (target: ActionTarget) => ModuleState;
};

/** The input of a plan for the whole machine, or for `only` one target. */
export function planInputFor(
  configuration: Configuration,
  { knownOf, requirements: judged, ...circumstances }: Circumstances,
  only?: ActionTarget,
): PlanInput {
  const { policy } = configuration;
  const machine = only
    ? {
        ...configuration.machine,
        modules: configuration.machine.modules.filter(
          ({ name }) => only.kind === 'module' && only.name === name,
        ),
      }
    : configuration.machine;
  const modules = new Map<string, ModuleState>();
  const subsystems = new Map<VersionedSubsystem, ModuleState>();
  for (const target of targetsOf({ machine, policy })) {
    if (target.kind === 'module') modules.set(target.name, knownOf(target));
    else if (!only || only.name === target.name) subsystems.set(target.name, knownOf(target));
  }
  for (const { type, name, moduleId } of machine.modules) {
    // Of a local module only what an operator requests and holds matters (D344).
    if (type === 'local') modules.set(name, knownOf({ kind: 'module', name, moduleId }));
  }
  // What is deployed of the others matters to the releases of one.
  const deployed = deployedIn(configuration, (target) => knownOf(target).deployed);
  const requirements = judged && { ...judged, deployed };
  return { ...circumstances, requirements, policy, machine, modules, subsystems };
}

/** Whether something is due that the agent has to allow: an upgrade, a downgrade, or a restart that may be held (D29, D41). */
export function asksForMaintenance({ modules, subsystems }: Plan): boolean {
  return [...modules, ...subsystems].some(isAskedAbout);
}

function isAskedAbout({ decision }: PlanRow): boolean {
  if (decision.kind !== 'replace') return false;
  if (decision.direction === 'restart') return !decision.request.isImmediate;
  return decision.direction === 'upgrade' || decision.direction === 'downgrade';
}

/** The names of the entries that stop for what is due, and have to allow it (D77). */
export function stoppedBy({ modules, subsystems }: Plan, machine: Machine): string[] {
  const isServerDue = subsystems.some(
    (row) => row.target.name === 'platform-server' && isAskedAbout(row),
  );
  const due = modules.filter(isAskedAbout);
  const names = new Set(due.map(({ name }) => name));
  const ids = new Set(due.flatMap(({ stops }) => stops.map(({ moduleId }) => moduleId)));
  return machine.modules
    .filter(({ name, moduleId }) => isServerDue || names.has(name) || ids.has(moduleId))
    .map(({ name }) => name);
}

/** The part of the remembered state that a plan needs. */
export function factsOf({
  deployed,
  previous,
  failed,
  restarts,
  quarantine,
  restartRequest,
  upgradeRequest,
  skippedFloors,
  holds,
  held,
}: Remembered): Omit<ModuleState, 'list'> {
  const remembered = { deployed, previous, failed, quarantine, skippedFloors };
  const known = { ...remembered, holds, held, upgradeRequest };
  // A request whose restart failed has ended.
  const isOpen = restartRequest?.failure === undefined;
  return {
    ...known,
    restarts: restarts.map(({ at }) => at),
    restartRequest: isOpen ? restartRequest?.request : undefined,
  };
}
