import { replacementOf, type Decision, type Replacement } from '../decision/decision.ts';
import { LOCAL, replacementText } from '../decision/replacement-text.ts';
import { deployedText } from '../decision/deployed.ts';
import { refusal, type Resolution } from '../releases/resolve.ts';
import { parseVersion } from '../version/version.ts';
import type { ActionTarget } from './action.ts';
import type { CommittedAction, OpenAction } from './committed-action.ts';
import type { Plan } from './plan.ts';
import { actionsOf, isSame, isUndecided } from './reconcile.ts';

/** What to do with an open action. */
export type Revalidation =
  | 'deliver'
  /** The action is held, or the decision changed. In that case the next plan commits another action. */
  | 'wait'
  /** The action was delivered and must not be delivered again. */
  | 'withdraw';

/**
 * Checks an open action against a new plan for its target. An action that was never delivered is delivered only if the
 * plan contains the same action. A delivered action may be half done, so it is delivered again as long as its version
 * may still be selected (T18, T51, T55).
 */
export function revalidate({ action, state }: OpenAction, plan: Plan): Revalidation {
  const due = plan.restarts.flatMap(actionsOf);
  if (due.some((one) => isSame(one, action))) return 'deliver';
  if (state === 'waiting') return 'wait';
  const decision = decisionOn(action.target, plan);
  if (!decision || decision.kind === 'keep') return 'withdraw';
  if (isUndecided(decision)) return 'wait';
  if (action.direction === 'restart') return verdictOnRestart(action, decision);
  const replacement = replacementOf(decision);
  if (replacement?.direction === 'restart') return besideRestart(action, replacement);
  if (!isPermitted(action, decision.resolution)) return verdictIfNotPermitted(action, decision);
  return decision.kind === 'replace' ? 'deliver' : 'wait';
}

/** A held action waits; any other is withdrawn. */
function verdictIfNotPermitted({ to }: CommittedAction, decision: Decision): Revalidation {
  if (decision.kind !== 'hold') return 'withdraw';
  return replacementText(decision.replacement) === to ? 'wait' : 'withdraw';
}

/** A restart is finished before the version that it restarts is replaced, unless that version must go (D41). */
function verdictOnRestart({ to }: CommittedAction, decision: Decision): Revalidation {
  const { requirement, deployed } = decision.input;
  // A local module has no version that could be another one by now (D344).
  const isLocal = requirement.kind === 'local';
  if ((isLocal ? LOCAL : deployedText(deployed)) !== to) return 'withdraw';
  const replacement = replacementOf(decision);
  if (!replacement || replacement.direction === 'rollback') return 'withdraw';
  return decision.kind === 'hold' ? 'wait' : 'deliver';
}

/** A replacement that was delivered is not due although a requested restart is: it is held, or no longer decided (D41). */
function besideRestart(
  action: CommittedAction,
  { held, resolution }: Replacement & { readonly direction: 'restart' },
): Revalidation {
  if (!held) return 'withdraw';
  const isHeld = isPermitted(action, resolution) || replacementText(held) === action.to;
  return isHeld ? 'wait' : 'withdraw';
}

/** The decision of a plan about a target; undefined if there is none. */
export function decisionOn(
  target: ActionTarget,
  { modules, subsystems }: Plan,
): Decision | undefined {
  const row =
    target.kind === 'module'
      ? modules.find(({ name, moduleId }) => name === target.name && moduleId === target.moduleId)
      : subsystems.find((one) => one.target.name === target.name);
  return row?.decision;
}

/** An upgrade may be finished although a newer release exists. A rollback is only delivered again while it is due. */
function isPermitted(
  { to, direction }: CommittedAction,
  resolution: Resolution | undefined,
): boolean {
  const version = parseVersion(to);
  if (!resolution || !version.ok || direction === 'rollback') return false;
  const release = resolution.input.index.find(version.value);
  return release !== undefined && refusal(resolution.input, release) === undefined;
}
