import { casesNow } from './facts.ts';
import { listsFor, type JudgeContext } from './judge-context.ts';
import { DUE } from './decision-invariants.ts';
import { expectation } from './expectation.ts';
import { keyOf, knownOf, targetsOf } from './ledger.ts';
import { gateReason } from './action-gate.ts';

/** One plan in eight is checked for missing actions; every plan is, for targets that run a failed release. */
const EACH = 8;

/** An action that the current list calls for is decided (I15: a rollback is never delayed). */
export function judgeOmissions(context: JudgeContext): void {
  const { ledger, complain } = context;
  ledger.plans++;
  const isChecked = ledger.plans % EACH === 0;
  if ((!isChecked && ledger.quarantine.size === 0) || gateReason(context)) return;
  // With a blank memory, the whole round of the first plan only observes. (T53)
  if (ledger.isBlank && !ledger.hasPolledSince) return;
  for (const target of targetsOf(ledger.desired)) {
    const { running } = knownOf(ledger, target);
    const isFailed = ledger.quarantine.has(`${target.moduleId} ${running}`);
    if (!isChecked && !isFailed) continue;
    const lists = listsFor(context, target);
    // A list read earlier may be forgotten by now.
    if (lists.length < 2) continue;
    const words = casesNow(context, { target }).map((one) => expectation(ledger, one));
    const isOpen = [...ledger.open.values()].some((open) => keyOf(open.target) === keyOf(target));
    if (isOpen || !words.every((word) => DUE.test(word))) continue;
    complain('L1', `${keyOf(target)} has ${running} deployed, ${words[0]} is due and not decided`);
  }
}
