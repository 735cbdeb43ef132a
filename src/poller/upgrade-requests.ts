import type { Plan } from '../core/index.ts';
import type { Decision } from '../core/decision/decision.ts';
import { isInForce, requestFor } from '../core/decision/upgrade-request.ts';
import { termsFor } from '../core/machine/update-policy.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { isUndecided } from '../core/plan/reconcile.ts';
import { keyOf } from '../core/plan/target.ts';
import { decisionsIn } from './begun.ts';
import type { Lists } from './lists.ts';
import type { StateAccess } from './state-access.ts';

/** Ends the requests for a replacement at once that time has ended, or whose replacement `plan` no longer contains (D76). */
export function endUpgradeRequests(
  plan: Plan,
  { upgradeRequests }: MachineMemory,
  { state, now }: { readonly state: StateAccess; readonly now: number },
): void {
  if (upgradeRequests.length === 0) return;
  const decisions = new Map(
    decisionsIn(plan).map(({ target, decision }) => [keyOf(target), decision]),
  );
  for (const { target, request } of upgradeRequests) {
    const decision = decisions.get(keyOf(target));
    if (isInForce(request, now) && decision && isOpen(decision)) continue;
    state.write((file) => file.endUpgrade(target, request.requestedAt));
  }
}

/** Whether the request is for what is decided, or nothing can be decided. */
function isOpen(decision: Decision): boolean {
  if (isUndecided(decision)) return true;
  const replacement =
    decision.kind === 'hold' ? decision.replacement : decision.kind === 'replace' && decision;
  if (!replacement) return false;
  const wanted = replacement.direction === 'restart' ? replacement.held : replacement;
  return wanted !== undefined && requestFor(wanted, decision.input) !== undefined;
}

/** Begins the rounds that operators asked for (D76). */
export function beginRequestedRounds(
  configuration: Configuration,
  { state, lists }: { readonly state: StateAccess; readonly lists: Pick<Lists, 'refresh'> },
): void {
  const requested = state.read()?.roundRequests ?? [];
  if (requested.length === 0) return;
  // On a full disk they would begin with each plan.
  if (!state.write((file) => file.endRoundRequests())) return;
  for (const { name } of requested) lists.refresh(termsFor(configuration.policy, name));
}
