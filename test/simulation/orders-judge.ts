import { DUE } from './decision-invariants.ts';
import { expectation, isLocalEntry } from './expectation.ts';
import { requestFor } from './requests.ts';
import { casesNow, mayHaveEnded } from './facts.ts';
import type { JudgeContext } from './judge-context.ts';
import { keyOf, knownOf, targetsOf, termsOf, type Target } from './ledger.ts';
import type { SeenWish } from './orders.ts';

/*
 * Since when something is held, and what ends the holds and the requests of operators. (D75, D76, D79)
 */

/** An operator's request lasts so long. */
const REQUEST_MS = 3_600_000;

export function wordsFor(context: JudgeContext, target: Target): string[] {
  return casesNow(context, { target }).map((one) => expectation(context.ledger, one));
}

/** The time of a hold begins when a plan first holds a replacement, and does not begin again. (D79) */
export function judgeHeldSince(context: JudgeContext, target: Target, since: number): void {
  const { ledger, moment, complain } = context;
  const key = keyOf(target);
  const before = ledger.heldSince.get(key);
  if (before?.moduleId === target.moduleId && before.since === since) return;
  const { running } = knownOf(ledger, target);
  const now = moment();
  if (before?.moduleId === target.moduleId && before.running === running)
    complain('D79', `${key} is held since ${before.since}, and that begins again at ${since}`);
  if (since !== now.wall) complain('D79', `${key} is held since ${since}, and it is ${now.wall}`);
  const words = wordsFor(context, target);
  // The restart of a local module is held, too. (D344)
  const isOfLocal = isLocalEntry(ledger, target) && requestFor(ledger, target) !== undefined;
  if (!isOfLocal && !words.some((word) => word.startsWith('hold ')))
    complain('D79', `${key} counts as held, where ${words.join(' or ')} is expected`);
  ledger.heldSince.set(key, { began: now, since, moduleId: target.moduleId, running });
}

/** It ends with another deployed version, and when nothing is to be replaced. (D79) */
export function judgeHeldEnd(context: JudgeContext, key: string): void {
  const { ledger, complain } = context;
  const before = ledger.heldSince.get(key);
  ledger.heldSince.delete(key);
  const target = targetsOf(ledger.desired).find((one) => keyOf(one) === key);
  if (!before || !target || !ledger.desired || before.moduleId !== target.moduleId) return;
  const isOther = before.running !== knownOf(ledger, target).running;
  const words = wordsFor(context, target);
  const isWanted = words.every((word) => word.startsWith('hold ') || DUE.test(word));
  // What the policy does not allow waits for nothing.
  const isRefused =
    !termsOf(ledger.desired, target.name).allowDowngrade &&
    words.some((word) => word.startsWith('hold downgrade '));
  if (isOther || !isWanted || isRefused) return;
  complain(
    'D79',
    `${key} is no longer held since ${before.since}, where ${words.join(' or ')} is expected`,
  );
}

/** The hold of an operator lasts as long as its operator said. (D75) */
export function judgeHoldEnd(context: JudgeContext, key: string, since: number | undefined): void {
  const { ledger, moment, complain } = context;
  const hold = ledger.holds.get(key);
  if (!hold || hold.since !== since) return;
  if (!mayHaveEnded(ledger, hold, moment()))
    complain('D75', `the hold of ${key} since ${since} is ended, and lasts`);
  ledger.holds.delete(key);
}

/** A request ends after an hour, or when another replacement is planned, or none. (D76) */
export function judgeWishEnd(context: JudgeContext, key: string, at: number): void {
  const { ledger, moment, complain } = context;
  const wish = ledger.wishes.get(key);
  if (wish?.at !== at) return;
  ledger.wishes.delete(key);
  const target = targetsOf(ledger.desired).find((one) => keyOf(one) === key);
  if (!target || target.moduleId !== wish.moduleId) return;
  const words = wordsFor(context, target);
  const isOver = Math.abs(moment().wall - at) >= REQUEST_MS;
  const isOther = (knownOf(ledger, target).running ?? undefined) !== wish.from;
  if (isOver || isOther || !words.every((word) => isMeant(word, wish))) return;
  complain(
    'D76',
    `the request for ${wish.to} of ${key} is ended, where ${words.join(' or ')} is expected`,
  );
}

function isMeant(word: string, { to }: SeenWish): boolean {
  return /^(hold )?(install|upgrade|downgrade) /.test(word) && word.endsWith(` ${to}`);
}
