import type { Action, ActionTarget } from './action.ts';
import { inOrder } from './order.ts';
import type { Stop, Stops } from './stops.ts';
import type { VersionedSubsystem } from './subsystem.ts';

/** Actions that share one restart: everything in `stops` stops once, all actions are carried out, everything starts. */
export interface Restart {
  /** What restarts: modules, or a subsystem, which restarts all modules with it. */
  readonly of: 'modules' | 'platform-agent' | 'platform-server';
  /** In the order in which they are carried out: a module before those that depend on it. */
  readonly actions: readonly Action[];
  /** What stops, in the order of stopping. */
  readonly stops: readonly Stop[];
}

type ModuleAction = Action & { readonly target: ActionTarget & { readonly kind: 'module' } };

/** An agent that restarts takes the server with it. (Agent and server updates, rule 4) */
const ABSORBING: readonly VersionedSubsystem[] = ['platform-agent', 'platform-server'];

/**
 * The restarts that `actions` take. That of a subsystem absorbs all others, and modules of which a
 * component would stop twice share one; so does a first install, with what depends on it. (D26)
 */
export function restartsFor(actions: readonly Action[], stops: Stops): Restart[] {
  const affected = affectedBy(actions.filter(isOfModule), stops);
  const modules = dependenciesFirst(affected);
  const subsystems = ABSORBING.toReversed().flatMap((name) =>
    actions.filter(({ target }) => target.kind === 'subsystem' && target.name === name),
  );
  const last = subsystems.at(-1);
  if (!last) return sharedRestarts(modules, affected, stops);
  const of = last.target.name === 'platform-agent' ? 'platform-agent' : 'platform-server';
  const stopping = subsystems.some(isRunning) ? stops.ofServer() : stopsOfAll(modules, stops);
  return [{ of, actions: [...modules, ...subsystems], stops: stopping }];
}

/** What each action stops, or would if it were not the first install. */
type Affected = ReadonlyMap<ModuleAction, readonly Stop[]>;

function affectedBy(actions: readonly ModuleAction[], stops: Stops): Affected {
  return new Map(
    actions.map((action) => [
      action,
      isRunning(action) ? action.stops : stops.ofModules(new Set([action.target.moduleId])),
    ]),
  );
}

/** A module before those whose components depend on its own. */
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
  return stops.ofModules(new Set(actions.filter(isRunning).map(({ target }) => target.moduleId)));
}

/** The group of each action: actions with a component in common are in one, and so are those of one group. */
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

function isRunning({ direction }: Action): boolean {
  return direction !== 'install';
}

function isOfModule(action: Action): action is ModuleAction {
  return action.target.kind === 'module';
}
