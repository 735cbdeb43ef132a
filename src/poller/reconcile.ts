import type { ActionTarget, Decision, Plan, Restart } from '../core/index.ts';
import { keyOf, moduleOf } from '../store/target.ts';
import type { NewAction, OpenAction } from '../store/index.ts';

/** What a plan asks of the actions that are open. */
export interface Reconciliation {
  readonly actions: readonly NewAction[];
  /** Waiting actions that are not what is decided now. */
  readonly superseded: readonly OpenAction[];
}

/**
 * Compares what a plan wants with what is open: what is wanted already keeps its id, what waits and is not wanted
 * is superseded, and what a consumer has in hand is left to it. (T18, T55, D25)
 */
export function reconcile(plan: Plan, open: readonly OpenAction[]): Reconciliation {
  const wanted = new Map(
    plan.restarts.flatMap(actionsOf).map((action) => [keyOf(action.target), action]),
  );
  const undecided = undecidedIn(plan);
  const superseded: OpenAction[] = [];
  for (const one of open) {
    const key = keyOf(one.action.target);
    const action = wanted.get(key);
    const isKept =
      one.state === 'delivered' ||
      undecided.has(identityOf(one.action.target)) ||
      (action && isSame(action, one.action));
    if (isKept) wanted.delete(key);
    else superseded.push(one);
  }
  return { actions: [...wanted.values()], superseded };
}

/** The actions of a restart, as they are committed. */
export function actionsOf({ of, actions, stops }: Restart): NewAction[] {
  const targets = actions.map(({ target }) => target.name);
  return actions.map((action) => Object.assign({ restart: { of, targets, stops } }, action));
}

/** Whether carrying out one is carrying out the other. */
export function isSame(a: NewAction, b: NewAction): boolean {
  return essence(a) === essence(b);
}

function essence({ target, from, to, direction, artifact }: NewAction): string {
  const moduleId = target.kind === 'module' ? target.moduleId : undefined;
  const { platform, url, digest } = artifact ?? {};
  return JSON.stringify([moduleId, from, to, direction, platform, url, digest]);
}

const UNDECIDED: ReadonlySet<string> = new Set(['no-list', 'list-stale', 'deployed-unknown']);

/** Where nothing can be known now: that is no reason against what was decided before. (D21, I11) */
export function isUndecided(decision: Decision): boolean {
  return decision.kind === 'stuck' && UNDECIDED.has(decision.code);
}

/** By their identity. */
function undecidedIn({ modules, subsystems }: Plan): ReadonlySet<string> {
  const undecided = new Set<string>();
  for (const { name, moduleId, decision } of modules) {
    if (isUndecided(decision)) undecided.add(identityOf({ kind: 'module', name, moduleId }));
  }
  for (const { target, decision } of subsystems) {
    if (target.option === 'disable_subsystem' || !isUndecided(decision)) continue;
    undecided.add(identityOf({ kind: 'subsystem', name: target.name }));
  }
  return undecided;
}

/** An entry that names another module is another target, whatever it is called. */
function identityOf(target: ActionTarget): string {
  return `${keyOf(target)} ${moduleOf(target)}`;
}
