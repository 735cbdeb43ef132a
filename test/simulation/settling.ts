import { describe, type Court, type Violation } from './court.ts';
import { DUE } from './decision-invariants.ts';
import { expectation } from './expectation.ts';
import { keyOf, knownOf, targetsOf, type ListInForce, type Target } from './ledger.ts';
import { isWaiting } from './needs.ts';

/** What is due, and what is open and should not be, although everything is there that it takes. (L1, I8) */
export function unsettledIn(
  court: Court,
  truth: (target: Target) => ListInForce | undefined,
): Violation[] {
  // Whoever is asked allows it.
  const ledger = { ...court.ledger, asksForMaintenance: false };
  const moment = court.moment();
  const due = targetsOf(ledger.wish).flatMap((target) => {
    const word = expectation(ledger, { target, list: truth(target), moment });
    if (!DUE.test(word) || isWaiting(ledger, target)) return [];
    const { running } = knownOf(ledger, target);
    return [{ invariant: 'L1', found: `${keyOf(target)} runs ${running}, and ${word} is due` }];
  });
  const left = [...ledger.open.values()].flatMap((open) => {
    const { target, id, state } = open;
    const word = expectation(ledger, { target, list: truth(target), moment, without: id });
    if (/^(hold|stuck deployed-unknown)/.test(word) || isWaiting(ledger, target)) return [];
    const found = `${describe(open)} is still open (${state}), where ${word} is expected`;
    return [{ invariant: 'I8', found }];
  });
  return [...due, ...left];
}
