import type { Machine } from '../machine/machine.ts';
import { termsFor, type UpdatePolicy, type UpdateTerms } from '../machine/update-policy.ts';
import type { Constraint } from '../version/constraint.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { ActionTarget } from './action.ts';
import type { ModuleState } from './plan.ts';
import { subsystemTargets, SUBSYSTEM_MODULES } from './subsystem.ts';

/** The machine config and the update policy. */
export interface Configuration {
  /** The machine config. */
  readonly machine: Machine;
  /** The update policy; `DEFAULT_POLICY` of `modreg/config` if the site has none. */
  readonly policy: UpdatePolicy;
}

/** A release list that a decision needs, and the terms for reading it. */
export interface NeededList {
  readonly of: { readonly kind: 'module' | 'subsystem'; readonly name: string };
  readonly moduleId: ModuleId;
  readonly terms: UpdateTerms;
  /** Which of its releases may be selected. */
  readonly constraint: Constraint;
}

/**
 * The release lists that decisions need. A registry may lack those of subsystems, so they are read only if `facts`
 * returns a known deployed version.
 */
export function neededLists(
  { machine, policy }: Configuration,
  facts: (target: ActionTarget) => Pick<ModuleState, 'deployed'>,
): NeededList[] {
  const { disableSubsystem } = machine.agent.platformServer;
  const modules = (disableSubsystem ? [] : machine.modules).flatMap((entry): NeededList[] => {
    if (entry.type !== 'registry') return [];
    const { name, moduleId, constraint } = entry;
    return [{ of: { kind: 'module', name }, moduleId, terms: termsFor(policy, name), constraint }];
  });
  const subsystems = subsystemTargets(machine.agent).flatMap((target): NeededList[] => {
    if (target.option === 'disable_subsystem' || target.option === 'pin_url') return [];
    const { name } = target;
    if (facts({ kind: 'subsystem', name }).deployed.kind === 'unknown') return [];
    const moduleId = SUBSYSTEM_MODULES[name];
    const { requirement, channel } = target;
    const constraint = requirement.kind === 'patch' ? requirement : channel;
    return [
      { of: { kind: 'subsystem', name }, moduleId, terms: termsFor(policy, name), constraint },
    ];
  });
  return [...modules, ...subsystems];
}

/** The targets of a plan: the modules from a registry, and the subsystems that have versions. */
export function targetsOf({ machine }: Configuration): ActionTarget[] {
  return [
    ...machine.modules.flatMap(({ type, name, moduleId }): ActionTarget[] =>
      type === 'registry' ? [{ kind: 'module', name, moduleId }] : [],
    ),
    ...(['platform-agent', 'platform-server'] as const).map((name): ActionTarget => {
      return { kind: 'subsystem', name };
    }),
  ];
}
