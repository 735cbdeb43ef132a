import type { Decision } from '../decision/decision.ts';
import type { ActionTarget } from './action.ts';
import type { NewAction, OpenAction } from './committed-action.ts';
import type { Plan } from './plan.ts';
import type { Restart } from './restarts.ts';
import { keyOf, moduleOf } from './target.ts';

/** What a plan changes in the outbox. */
export interface Reconciliation {
  readonly actions: readonly NewAction[];
  /** Waiting actions that the plan does not want any more. */
  readonly superseded: readonly OpenAction[];
}

/**
 * Compares the actions that a plan wants with the open ones. An open action that is still wanted keeps its id, a
 * waiting one that is not is superseded, and one that a consumer has stays. (T18, T55, D25)
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

/** The actions of a restart, ready to be committed. */
export function actionsOf({ of, actions, stops }: Restart): NewAction[] {
  const targets = actions.map(({ target }) => target.name);
  return actions.map((action) => Object.assign({ restart: { of, targets, stops } }, action));
}

/** Whether executing one is executing the other. */
export function isSame(a: NewAction, b: NewAction): boolean {
  return essence(a) === essence(b);
}

function essence({ target, from, to, direction, artifact }: NewAction): string {
  const moduleId = target.kind === 'module' ? target.moduleId : undefined;
  const { platform, url, digest } = artifact ?? {};
  return JSON.stringify([moduleId, from, to, direction, platform, url, digest]);
}

const UNDECIDED: ReadonlySet<string> = new Set(['no-list', 'list-stale', 'deployed-unknown']);

/** Whether facts are missing for a decision. That is no reason to end an open action. (D21, I11) */
export function isUndecided(decision: Decision): boolean {
  return decision.kind === 'stuck' && UNDECIDED.has(decision.code);
}

/** The identities of the targets without a decision. */
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

/** An entry that names another module is another target, even with the same name. */
function identityOf(target: ActionTarget): string {
  return `${keyOf(target)} ${moduleOf(target)}`;
}
