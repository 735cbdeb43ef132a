import {
  type ActionTarget,
  type ModuleState,
  type PlanInput,
  type Plan,
  type VersionedSubsystem,
} from '../core/index.ts';
import type { Remembered } from '../store/index.ts';
import { targetsOf, type Configuration } from './configuration.ts';

/** What a question is made of, besides the configuration. */
export type Circumstances = Omit<PlanInput, 'machine' | 'policy' | 'modules' | 'subsystems'> & {
  readonly knownOf: (target: ActionTarget) => ModuleState;
};

/** What a machine should do now: all of it, or one target with nothing beside it. */
export function questionAbout(
  configuration: Configuration,
  { knownOf, ...circumstances }: Circumstances,
  only?: ActionTarget,
): PlanInput {
  const { policy } = configuration;
  const isAsked = (name: string): boolean => only?.kind === 'module' && only.name === name;
  const machine = only
    ? {
        ...configuration.machine,
        modules: configuration.machine.modules.filter(({ name }) => isAsked(name)),
      }
    : configuration.machine;
  const modules = new Map<string, ModuleState>();
  const subsystems = new Map<VersionedSubsystem, ModuleState>();
  for (const target of targetsOf({ machine, policy })) {
    if (target.kind === 'module') modules.set(target.name, knownOf(target));
    else if (!only || only.name === target.name) subsystems.set(target.name, knownOf(target));
  }
  return { ...circumstances, policy, machine, modules, subsystems };
}

/** Whether something is due that waits for maintenance to be allowed. */
export function asksForMaintenance({ modules, subsystems }: Plan): boolean {
  return [...modules, ...subsystems].some(
    ({ decision }) =>
      decision.kind === 'replace' &&
      (decision.direction === 'upgrade' || decision.direction === 'downgrade'),
  );
}

/** What is remembered, as a plan asks for it. */
export function factsOf({
  deployed,
  previous,
  restarts,
  quarantine,
}: Remembered): Omit<ModuleState, 'list'> {
  return { deployed, previous, quarantine, restarts: restarts.map(({ at }) => at) };
}
