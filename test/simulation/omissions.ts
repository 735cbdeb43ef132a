import { listsFor, type Court } from './court.ts';
import { DUE } from './decision-invariants.ts';
import { expectation } from './expectation.ts';
import { keyOf, knownOf, targetsOf } from './ledger.ts';
import { restraint } from './restraint.ts';

/** One plan of so many is looked through for what it left out; and each that should go back from something. */
const EACH = 8;

/** What is due by the list that came just now is decided. (Versioning; I15: a rollback is never delayed) */
export function judgeOmissions(court: Court): void {
  const { ledger, moment, complain } = court;
  ledger.plans++;
  const isLooked = ledger.plans % EACH === 0;
  if ((!isLooked && ledger.quarantine.size === 0) || restraint(court)) return;
  for (const target of targetsOf(ledger.wish)) {
    const { running } = knownOf(ledger, target);
    const isFailed = ledger.quarantine.has(`${target.moduleId} ${running}`);
    if (!isLooked && !isFailed) continue;
    const lists = listsFor(court, target);
    // What was asked for earlier may have been forgotten since.
    if (lists.length < 2) continue;
    const words = lists.map((list) => expectation(ledger, { target, list, moment: moment() }));
    const isOpen = [...ledger.open.values()].some((open) => keyOf(open.target) === keyOf(target));
    if (isOpen || !words.every((word) => DUE.test(word))) continue;
    complain('L1', `${keyOf(target)} runs ${running}, ${words[0]} is due, and was not decided`);
  }
}
