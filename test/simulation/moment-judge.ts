import { isFitAnyway, whyUnfit } from './decision-invariants.ts';
import { describe, listsFor, type JudgeContext } from './judge-context.ts';
import { otherRestarts } from './judge-outcomes.ts';
import { keyOf, type OpenAction, type Target } from './ledger.ts';
import { delivered, isWaiting, stoppingActions } from './needs.ts';
import { hasReturned } from './returned-lists.ts';

/*
 * Nothing is stopped at a wrong moment, and what may be begun is not refused. (D72)
 */

/** The answer to an agent that wants to begin an action. */
export interface Answer {
  readonly mayProceed: boolean;
  /** The modules whose processes are ending. */
  readonly stopping: readonly Target[];
}

/** Something is stopped or tried for the action. From then on it is finished. */
export function begin(context: JudgeContext, id: string): void {
  const { ledger, complain } = context;
  if (ledger.begun.has(id)) return;
  // What is delivered or decided at the same moment comes after a right answer.
  const isPermitted = wasJustGranted(context, id) && ledger.granted.get(id)?.isRight === true;
  const refusal = isPermitted ? undefined : whyNotBegun(context, id);
  if (refusal !== undefined) complain('D72', `${refusal}, and it is begun`);
  ledger.begun.add(id);
}

/** A first run may migrate data. Before the first stop, it is asked again. */
export function judgeFirstRun(context: JudgeContext, id: string): void {
  const { ledger, complain } = context;
  const refusal = whyNotBegun(context, id);
  if (refusal !== undefined) complain('D72', `${refusal}, and its first run takes place`);
  ledger.granted.delete(id);
  ledger.begun.delete(id);
}

/** A process is stopped while the server is down. If the agent was just told that it may begin an action, it is begun. */
export function stopsWithServer(context: JudgeContext, target: Target): void {
  const { ledger } = context;
  for (const { id } of stoppingActions(ledger, target)) {
    if (wasJustGranted(context, id)) ledger.begun.add(id);
  }
}

function wasJustGranted({ ledger, moment }: JudgeContext, id: string): boolean {
  return ledger.granted.get(id)?.at === moment().elapsed;
}

/** A process that works is stopped because of an action that is under way, or may be begun. */
export function judgeStopped(context: JudgeContext, target: Target): void {
  const { ledger, complain } = context;
  const causes = stoppingActions(ledger, target).map(({ id }) => {
    return { id, refusal: whyNotBegun(context, id) };
  });
  const permitted = causes.filter(({ refusal }) => refusal === undefined);
  // Of several, it is the one that the agent asked about.
  const asked = permitted.filter(({ id }) => wasJustGranted(context, id));
  for (const { id } of asked) ledger.begun.add(id);
  if (causes.some(({ id }) => ledger.begun.has(id))) return;
  for (const { id } of permitted) ledger.begun.add(id);
  if (permitted.length > 0) return;
  const why = causes.map(({ refusal }) => refusal).join('; ') || 'no action is under way';
  complain('D72', `${keyOf(target)} is stopped, and ${why}`);
}

/**
 * What the agent is told about an action that it wants to begin. What it may not begin is taken back at once; if something that has
 * to stop for it is `stopping` already, it has begun.
 */
export function answered(
  context: JudgeContext,
  id: string,
  { mayProceed, stopping }: Answer,
): void {
  const { ledger, moment, complain } = context;
  if (!mayProceed) {
    const isHeld = ledger.open.get(id)?.state === 'delivered';
    if (isHeld) complain('D72', `${id} must not be begun, and is not taken back`);
    return;
  }
  const isRight = whyNotBegun(context, id) === undefined;
  ledger.granted.set(id, { at: moment().elapsed, isRight });
  const stops = stopping.flatMap((target) => stoppingActions(ledger, target));
  if (stops.some((action) => action.id === id)) begin(context, id);
}

/** An action waits as if it had never been delivered. */
export function takeBack(context: JudgeContext, id: string): void {
  const { ledger, complain } = context;
  const open = ledger.open.get(id);
  if (open?.state !== 'delivered') {
    complain('D72', `${id} is taken back, and no consumer has it`);
    return;
  }
  // At the moment when a list arrives, either of the two lists may count. A rollback from another version is another action.
  // An agent takes back at its start what the one before it got and did not begin.
  const isCertain =
    ledger.held.has(id) &&
    listsFor(context, open.target).length === 1 &&
    !hasReturned(ledger, open.target) &&
    !isWaiting(ledger, open.target) &&
    open.direction !== 'rollback' &&
    isFitAnyway(context, open);
  if (ledger.begun.has(id)) complain('D72', `${describe(open)} is begun, and is taken back`);
  else if (isCertain && whyNotBegun(context, id) === undefined)
    complain('D72', `${describe(open)} may be begun, and is taken back`);
  open.state = 'waiting';
  ledger.held.delete(id);
  ledger.restarts.set(keyOf(open.target), [...otherRestarts(context, open)]);
}

/** Why an action must not be begun now; undefined if it may. */
function whyNotBegun(context: JudgeContext, id: string): string | undefined {
  const open: OpenAction | undefined = context.ledger.open.get(id);
  if (open?.state !== 'delivered') return `${id} has ended, or waits`;
  const [other] = delivered(context.ledger, open);
  if (other) return `${describe(open)} waits for ${describe(other)}`;
  const expected = whyUnfit(context, open);
  return expected === undefined ? undefined : `${describe(open)} waits: ${expected} is expected`;
}
