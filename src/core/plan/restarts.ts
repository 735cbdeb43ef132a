import type { ModuleId } from '../module-id.ts';
import type { Action } from './action.ts';
import { inOrder } from './order.ts';
import type { Stop, Stops } from './stops.ts';
import type { VersionedSubsystem } from './subsystem.ts';

/** Actions that share one restart: what `stops` is stopped once, all are carried out, all starts again. */
export interface Restart {
  /** What restarts: modules, or a subsystem that takes all modules with it. (D26) */
  readonly of: 'modules' | VersionedSubsystem;
  /** In the order in which they are carried out: what others depend on before those. */
  readonly actions: readonly Action[];
  /** In the order of stopping. */
  readonly stops: readonly Stop[];
}

/** An agent that restarts takes the server with it. (Agent and server updates, rule 4) */
const ABSORBING: readonly VersionedSubsystem[] = ['platform-agent', 'platform-server'];

/**
 * The restarts that `actions` take. That of a subsystem absorbs all others, and modules of which a
 * component would stop twice share one. (D26)
 */
export function restartsFor(actions: readonly Action[], stops: Stops): Restart[] {
  const modules = dependenciesFirst(actions.filter(({ target }) => target.kind === 'module'));
  const of = ABSORBING.find((name) =>
    actions.some(({ target }) => target.name === name && target.kind === 'subsystem'),
  );
  if (of === undefined) return sharedRestarts(modules, stops);
  const subsystems = ABSORBING.toReversed().flatMap((name) =>
    actions.filter(({ target }) => target.kind === 'subsystem' && target.name === name),
  );
  const stopping = subsystems.some(isRunning) ? stops.ofServer() : [];
  return [{ of, actions: [...modules, ...subsystems], stops: stopping }];
}

/** A module before those that stop with it because their components depend on its own. */
function dependenciesFirst(actions: readonly Action[]): Action[] {
  const owners = Map.groupBy(
    actions.flatMap((action) =>
      action.stops
        .filter(({ dependsOn }) => dependsOn.length === 0)
        .map(({ component }) => ({ component, action })),
    ),
    ({ component }) => component,
  );
  return inOrder(actions, (action) =>
    action.stops
      .flatMap(({ component }) => owners.get(component) ?? [])
      .map((owner) => owner.action)
      .filter((other) => other !== action),
  );
}

function sharedRestarts(actions: readonly Action[], stops: Stops): Restart[] {
  const groups = groupsOf(actions);
  return Array.from(Map.groupBy(actions, (action) => groups.get(action)).values(), (shared) => ({
    of: 'modules',
    actions: shared,
    stops: stops.ofModules(new Set(shared.filter(isRunning).flatMap(moduleIdOf))),
  }));
}

/** The group of each action: actions with a component in common are in one, and so are those of one group. */
function groupsOf(actions: readonly Action[]): ReadonlyMap<Action, ReadonlySet<Action>> {
  const groups = new Map<Action, Set<Action>>();
  const byComponent = new Map<string, Action>();
  for (const action of actions) {
    const others = action.stops.flatMap(({ component }) => {
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
    for (const { component } of action.stops) byComponent.set(component, action);
  }
  return groups;
}

function isRunning({ direction }: Action): boolean {
  return direction !== 'install';
}

function moduleIdOf({ target }: Action): ModuleId[] {
  return target.kind === 'module' ? [target.moduleId] : [];
}
