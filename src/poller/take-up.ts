import {
  parseVersion,
  type ActionTarget,
  type Decision,
  type Plan,
  type Resolution,
} from '../core/index.ts';
import { replacementText } from '../core/decision/decision.ts';
import { refusal } from '../core/releases/resolve.ts';
import type { CommittedAction, OpenAction } from '../store/index.ts';
import { actionsOf, isSame, isUndecided } from './reconcile.ts';

/** What becomes of an open action now. */
export type Revalidation =
  /** A consumer may have it. */
  | 'deliver'
  /** Now is not the time, or something else is decided now, which the next plan sees to. */
  | 'wait'
  /** It was delivered, and must not be again. */
  | 'withdraw';

/**
 * Judges an open action by a plan of its target made just now. One that was never delivered is, where exactly that
 * is due. One that was, and may be half done, is delivered again as long as nothing speaks against its version.
 * (T18, T51, T55)
 */
export function revalidate({ action, state }: OpenAction, plan: Plan): Revalidation {
  const due = plan.restarts.flatMap(actionsOf);
  if (due.some((one) => isSame(one, action))) return 'deliver';
  if (state === 'waiting') return 'wait';
  const decision = decisionOn(action.target, plan);
  if (!decision || decision.kind === 'keep') return 'withdraw';
  if (isUndecided(decision)) return 'wait';
  if (!isPermitted(action, decision.resolution)) return isSoon(action, decision);
  return decision.kind === 'replace' ? 'deliver' : 'wait';
}

/** What is held is wanted all the same. */
function isSoon({ to }: CommittedAction, decision: Decision): Revalidation {
  if (decision.kind !== 'hold') return 'withdraw';
  return replacementText(decision.replacement) === to ? 'wait' : 'withdraw';
}

function decisionOn(target: ActionTarget, { modules, subsystems }: Plan): Decision | undefined {
  const row =
    target.kind === 'module'
      ? modules.find(({ name, moduleId }) => name === target.name && moduleId === target.moduleId)
      : subsystems.find((one) => one.target.name === target.name);
  return row?.decision;
}

/** A newer release is no reason not to finish with this one; to go back is only done for a reason. */
function isPermitted(
  { to, direction }: CommittedAction,
  resolution: Resolution | undefined,
): boolean {
  const version = parseVersion(to);
  if (!resolution || !version.ok || direction === 'rollback') return false;
  const release = resolution.input.index.find(version.value);
  return release !== undefined && refusal(resolution.input, release) === undefined;
}
