import type { Action, ActionTarget } from './action.ts';
import { inOrder } from './order.ts';
import type { Stop, Stops } from './stops.ts';
import type { VersionedSubsystem } from './subsystem.ts';

/** Actions that share one restart: everything in `stops` stops once, all actions are carried out, everything starts. */
export interface Restart {
  /** What restarts: modules, or a subsystem, which restarts all modules too. */
  readonly of: 'modules' | 'platform-agent' | 'platform-server';
  /** In the order in which they are carried out: a module before the modules that depend on it. */
  readonly actions: readonly Action[];
  /** The components that stop, in stop order. */
  readonly stops: readonly Stop[];
}

type ModuleAction = Action & { readonly target: ActionTarget & { readonly kind: 'module' } };

/** A restart of the agent restarts the server too (D26). */
const ABSORBING: readonly VersionedSubsystem[] = ['platform-agent', 'platform-server'];

/**
 * The restarts that `actions` require. The restart of a subsystem absorbs all others. Modules share a restart if a
 * component would otherwise stop twice. A first install shares the restart of the modules that depend on it (D26).
 */
export function restartsFor(actions: readonly Action[], stops: Stops): Restart[] {
  const affected = affectedBy(actions.filter(isModuleAction), stops);
  const modules = dependenciesFirst(affected);
  const subsystems = ABSORBING.toReversed().flatMap((name) =>
    actions.filter(({ target }) => target.kind === 'subsystem' && target.name === name),
  );
  const last = subsystems.at(-1);
  if (!last) return sharedRestarts(modules, affected, stops);
  const of = last.target.name === 'platform-agent' ? 'platform-agent' : 'platform-server';
  const stopping = subsystems.some(isInstalled) ? stops.ofServer() : stopsOfAll(modules, stops);
  return [{ of, actions: [...modules, ...subsystems], stops: stopping }];
}

/** The components that each action stops, or would stop if it were not a first install. */
type Affected = ReadonlyMap<ModuleAction, readonly Stop[]>;

function affectedBy(actions: readonly ModuleAction[], stops: Stops): Affected {
  return new Map(
    actions.map((action) => [
      action,
      isInstalled(action) ? action.stops : stops.ofModule(action.target.moduleId),
    ]),
  );
}

/** A module before the modules whose components depend on its components. */
function dependenciesFirst(affected: Affected): ModuleAction[] {
  const owned = [...affected].flatMap(([action, stopping]) =>
    stopping
      .filter(({ dependsOn }) => dependsOn.length === 0)
      .map(({ component }) => ({ component, action })),
  );
  const owners = Map.groupBy(owned, ({ component }) => component);
  return inOrder([...affected.keys()], (action) =>
    (affected.get(action) ?? [])
      .flatMap(({ component }) => owners.get(component) ?? [])
      .map((owner) => owner.action)
      .filter(({ target }) => target.moduleId !== action.target.moduleId),
  );
}

function sharedRestarts(
  actions: readonly ModuleAction[],
  affected: Affected,
  stops: Stops,
): Restart[] {
  const groups = groupsOf(affected);
  const shared = Map.groupBy(actions, (action) => groups.get(action));
  return Array.from(shared.values(), (group) => ({
    of: 'modules',
    actions: group,
    stops: stopsOfAll(group, stops),
  }));
}

function stopsOfAll(actions: readonly ModuleAction[], stops: Stops): readonly Stop[] {
  const [only] = actions;
  if (only && actions.length === 1) return only.stops;
  return stops.ofModules(new Set(actions.filter(isInstalled).map(({ target }) => target.moduleId)));
}

/** The group of each action. Actions that affect the same component are in one group, directly or through others. */
function groupsOf(affected: Affected): ReadonlyMap<Action, ReadonlySet<Action>> {
  const groups = new Map<Action, Set<Action>>();
  const byComponent = new Map<string, Action>();
  for (const [action, stopping] of affected) {
    const others = stopping.flatMap(({ component }) => {
      const other = byComponent.get(component);
      return (other && groups.get(other)) ?? [];
    });
    const [group = new Set<Action>(), ...rest] = new Set(others);
    for (const members of [[action], ...rest]) {
      for (const member of members) {
        group.add(member);
        groups.set(member, group);
      }
    }
    for (const { component } of stopping) byComponent.set(component, action);
  }
  return groups;
}

function isInstalled({ direction }: Action): boolean {
  return direction !== 'install';
}

function isModuleAction(action: Action): action is ModuleAction {
  return action.target.kind === 'module';
}
