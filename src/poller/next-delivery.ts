import type { Plan } from '../core/index.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { permittedRollback } from '../core/plan/permitted-rollback.ts';
import { revalidate } from '../core/plan/revalidate.ts';
import { keyOf } from '../core/plan/target.ts';
import type { ActionGate } from './action-gate.ts';
import type { Delivery } from './delivery.ts';
import type { PollerEvent } from './event.ts';
import type { Lists } from './lists.ts';
import { permission, type PermissionParts } from './permission.ts';
import { inputsOf } from './planner.ts';

/** The parts of a poller that decide on a delivery. */
export interface DeliveryParts extends PermissionParts {
  readonly gate: ActionGate;
  readonly lists: Pick<Lists, 'rounds'>;
  readonly onEvent: (event: PollerEvent) => void;
  /** The iterator that asks. */
  readonly consumer: symbol;
}

/** Delivers the first open action that may be executed now; undefined if there is none. Rejects with the reason of `signal`. */
export async function nextDelivery(
  parts: DeliveryParts,
  signal: AbortSignal,
): Promise<Delivery | undefined> {
  const { state, gate, lists, outbox } = parts;
  const memory = state.read();
  if (!memory) return undefined;
  const mayAct = gate.mayAct(memory, lists.rounds);
  const only = mayAct ? undefined : gate.onlyTarget(memory);
  if (!mayAct && only === undefined) return undefined;
  for (const open of memory.open) {
    if (only !== undefined && keyOf(open.action.target) !== only) continue;
    if (outbox.untilDue(open) > 0) continue;
    if (outbox.isHeld(open)) continue;
    signal.throwIfAborted();
    const delivery = await revalidated(open, parts, signal);
    if (delivery) return delivery;
  }
  return undefined;
}

/** An overdue action stays with its consumer, unless its version can no longer be selected (D39). */
export function withdrawOverdue({
  state,
  planner,
  outbox,
}: Pick<DeliveryParts, 'state' | 'planner' | 'outbox'>): void {
  for (const open of state.read()?.open ?? []) {
    if (!outbox.isHeld(open) || outbox.untilDue(open) > 0) continue;
    // No answer on maintenance makes a version selectable, so the agent is not asked.
    const plan = planner.planWith({}, open.action);
    if (plan && revalidate(open, plan) === 'withdraw') outbox.withdraw(open);
  }
}

/** Delivers or withdraws the action. Everything is checked again first, including the maintenance window (T51). */
async function revalidated(
  open: OpenAction,
  parts: DeliveryParts,
  signal: AbortSignal,
): Promise<Delivery | undefined> {
  const { state, planner, onEvent } = parts;
  try {
    // The agent is not asked about an action that has to wait anyway.
    const isWaiting = open.state === 'waiting';
    if (isWaiting && planner.blockingDependency(open, state.read()) !== undefined) return undefined;
    const deliver = (plan: Plan | undefined): Delivery | undefined =>
      plan && deliverBy(plan, open, parts, signal);
    return await planner.asking(deliver, signal, open.action);
  } catch (error) {
    signal.throwIfAborted();
    onEvent({ kind: 'callback-error', error });
    return undefined;
  }
}

function deliverBy(
  plan: Plan,
  open: OpenAction,
  parts: DeliveryParts,
  signal: AbortSignal,
): Delivery | undefined {
  const { state, planner, outbox, consumer } = parts;
  const verdict = revalidate(open, plan);
  // Another iterator may have delivered it while the agent was asked.
  if (verdict === 'wait' || !outbox.isUnchanged(open)) return undefined;
  if (verdict === 'withdraw') outbox.withdraw(open);
  else if (planner.blockingDependency(open, state.read()) === undefined) {
    const input = inputsOf(plan).get(keyOf(open.action.target));
    const rollback = input && permittedRollback(open.action, input);
    const delivery = outbox.deliver(open, { consumer, rollback });
    return delivery && { ...delivery, mayProceed: permission(delivery, parts, signal) };
  }
  return undefined;
}
