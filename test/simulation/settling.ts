import { describe, type JudgeContext, type Violation } from './judge-context.ts';
import { DUE } from './decision-invariants.ts';
import { expectation } from './expectation.ts';
import {
  keyOf,
  knownOf,
  targetsOf,
  type ListInForce,
  type OpenAction,
  type Target,
} from './ledger.ts';
import { isWaiting } from './needs.ts';

/**
 * Actions that are due but not open, and open actions that should have ended, when nothing prevents either; without those of
 * targets that may wait for the server. (L1, I8)
 */
export function unsettledIn(
  context: JudgeContext,
  truth: (target: Target) => ListInForce | undefined,
  mayWait: (target: Target) => boolean,
): Violation[] {
  // The agent allows maintenance by now.
  const ledger = { ...context.ledger, asksForMaintenance: false };
  const moment = context.moment();
  const due = targetsOf(ledger.desired).flatMap((target) => {
    const open = [...ledger.open.values()].find((one) => keyOf(one.target) === keyOf(target));
    const ignoresRequest = open !== undefined && isReplacing(open);
    const word = expectation(ledger, { target, list: truth(target), moment, ignoresRequest });
    if (!DUE.test(word) || isWaiting(ledger, target) || mayWait(target)) return [];
    const { running } = knownOf(ledger, target);
    return [
      { invariant: 'L1', found: `${keyOf(target)} has ${running} deployed, and ${word} is due` },
    ];
  });
  const left = [...ledger.open.values()].flatMap((open) => {
    const { target, id, state } = open;
    const ignoresRequest = isReplacing(open);
    const list = truth(target);
    const word = expectation(ledger, { target, list, moment, without: id, ignoresRequest });
    if (/^(hold|stuck deployed-unknown)/.test(word) || isWaiting(ledger, target) || mayWait(target))
      return [];
    const found = `${describe(open)} is still open (${state}), where ${word} is expected`;
    return [{ invariant: 'I8', found }];
  });
  return [...due, ...left];
}

/** A replacement that the agent has comes before a requested restart. (D41) */
function isReplacing({ state, direction }: OpenAction): boolean {
  return state === 'delivered' && direction !== 'restart';
}
