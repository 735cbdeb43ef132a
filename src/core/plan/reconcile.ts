import type { Decision } from '../decision/decision.ts';
import type { ActionTarget } from './action.ts';
import type { NewAction, OpenAction } from './committed-action.ts';
import type { Plan } from './plan.ts';
import type { Restart } from './restarts.ts';
import { keyOf, moduleOf } from './target.ts';

/** The changes that a plan makes to the outbox. */
export interface Reconciliation {
  readonly actions: readonly NewAction[];
  /** Waiting actions that the plan no longer contains. */
  readonly superseded: readonly OpenAction[];
}

/**
 * Compares the actions of a plan with the open actions. An open action that the plan still contains keeps its id. A
 * waiting action that it no longer contains is superseded. A delivered action is kept (D25, T18, T55).
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

/** The actions of a restart, in the form in which they are committed. */
export function actionsOf({ of, actions, stops }: Restart): NewAction[] {
  const targets = actions.map(({ target }) => target.name);
  return actions.map((action) => Object.assign({ restart: { of, targets, stops } }, action));
}

/** Whether carrying out one action is the same as carrying out the other. */
export function isSame(a: NewAction, b: NewAction): boolean {
  return contentOf(a) === contentOf(b);
}

function contentOf({ target, from, to, direction, artifact }: NewAction): string {
  const moduleId = target.kind === 'module' ? target.moduleId : undefined;
  const { platform, url, digest } = artifact ?? {};
  return JSON.stringify([moduleId, from, to, direction, platform, url, digest]);
}

const UNDECIDED: ReadonlySet<string> = new Set(['no-list', 'list-stale', 'deployed-unknown']);

/** Whether facts are missing for a decision. An open action is not superseded for that reason (D21, I11). */
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

/** A target is identified by its module as well: an entry whose `module_id` changes becomes another target. */
function identityOf(target: ActionTarget): string {
  return `${keyOf(target)} ${moduleOf(target)}`;
}
