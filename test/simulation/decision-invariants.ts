import semver from 'semver';
import { isInBranch, isPin } from '../support/plan-judge.ts';
import { describe, listsFor, type Court } from './court.ts';
import { constraintOf, expectation, mayRun } from './expectation.ts';
import { keyOf, knownOf, type OpenAction, type SeenAction } from './ledger.ts';

/** What is to be done now, by a naive reading of the decision table. */
export const DUE: RegExp = /^(upgrade|downgrade|install|rollback) /;

/** Holds what was decided just now against what should be. (I1 to I5, I7, I10, I15) */
export function judgeDecision(court: Court, action: SeenAction): void {
  judgeChoice(court, action);
  judgeDirection(court, action);
  const { ledger, moment, complain } = court;
  const { target } = action;
  const words = listsFor(court, target).map((list) =>
    expectation(ledger, { target, list, moment: moment() }),
  );
  if (words.includes(`${action.direction} ${action.to}`)) return;
  const found = `${describe(action)}, where ${words.join(' or ')} is expected`;
  complain(invariantOf(action, words[0] ?? ''), found);
}

function judgeChoice(court: Court, action: SeenAction): void {
  const { ledger, complain } = court;
  const { target, to, digest } = action;
  const { wish } = ledger;
  const constraint = wish && constraintOf(wish, target);
  if (!wish || constraint === undefined) {
    complain('I1', `${describe(action)}, which nobody asks for`);
    return;
  }
  const isMeant = isInBranch(constraint, to);
  if (!isMeant) complain(isPin(constraint) ? 'I4' : 'I1', `${describe(action)} for ${constraint}`);
  const files = listsFor(court, target).flatMap((list) =>
    (list?.trusted ?? []).flatMap(({ version, artifacts = [] }) =>
      artifacts.flatMap((file) => (version === to ? [file.digest] : [])),
    ),
  );
  // One that is known, and is not the first that was seen for the release, is in none of the lists.
  if (digest !== undefined && !files.includes(digest)) {
    complain('I2', `${describe(action)} with ${digest}, where ${files.join(' or ')} is known`);
  }
  const isDisabled = wish.server.isDisabled && target.name !== 'platform-agent';
  if (isDisabled) complain('I10', `${describe(action)} while disabled`);
}

function judgeDirection({ ledger, complain }: Court, action: SeenAction): void {
  const { target, to, direction } = action;
  const { running } = knownOf(ledger, target);
  const constraint = (ledger.wish && constraintOf(ledger.wish, target)) ?? '';
  if (running === undefined) complain('D14', `${describe(action)}, and nobody knows what runs`);
  if (typeof running !== 'string' || semver.valid(running) === null) return;
  const isLower = semver.compareBuild(to, running) < 0;
  const isReason = isPin(constraint) || !isInBranch(constraint, running);
  if (isLower && direction !== 'rollback' && !isReason) {
    complain('I3', `${describe(action)} for ${constraint}, and ${running} runs`);
  }
  const isEqual = semver.compare(to, running) === 0;
  if (isEqual && direction === 'upgrade' && !isPin(constraint)) {
    complain('I7', `${describe(action)} is no upgrade of ${running}`);
  }
}

/** Which of the invariants a decision breaks. */
function invariantOf({ direction }: SeenAction, expected: string): string {
  if (expected.startsWith('hold')) return 'I10, I15';
  if (expected.startsWith('stuck')) return 'I11';
  if (expected === 'up-to-date') return 'I7, I12';
  return direction === 'upgrade' ? 'I5' : 'I3';
}

/** There and back again, for no reason. (I7) */
export function judgeMove({ ledger, complain }: Court, action: SeenAction): void {
  const key = keyOf(action.target);
  const last = ledger.moves.get(key);
  const { running } = knownOf(ledger, action.target);
  const isBack = last?.from === action.to && last.to === running;
  // A term that ended is a reason.
  const { until } = ledger.quarantine.get(`${action.target.moduleId} ${action.to}`) ?? {};
  if (isBack && last.novelty === ledger.novelty && until === undefined) {
    complain('I7', `${describe(action)}, after ${last.from} → ${last.to} and nothing in between`);
  }
  ledger.moves.set(key, { from: running, to: action.to, novelty: ledger.novelty });
}

/** What nobody knows anything of is no reason to end anything. (D21, I11) */
export function judgeEnd(court: Court, open: OpenAction): void {
  const { ledger, moment, complain } = court;
  const { target, id } = open;
  const words = listsFor(court, target).map((list) =>
    expectation(ledger, { target, list, moment: moment(), without: id }),
  );
  const isUnknown = words.every((word) =>
    /^stuck (no-list|list-stale|deployed-unknown)/.test(word),
  );
  if (isUnknown)
    complain('I11', `${describe(open)} is ended, where ${words.join(' or ')} is expected`);
}

/** What may be half done is finished, unless something speaks against its version. (T51, T55) */
export function judgeAgain(court: Court, open: OpenAction): void {
  const { ledger, moment, complain } = court;
  const { target, to, direction, id } = open;
  const cases = listsFor(court, target).map((list) => {
    return { target, list, moment: moment(), without: id };
  });
  const words = cases.map((one) => expectation(ledger, one));
  const isFit = cases.some((one, place) => {
    const isDue = DUE.test(words[place] ?? '') && direction !== 'rollback';
    return words[place] === `${direction} ${to}` || (isDue && mayRun(ledger, one, to));
  });
  if (isFit) return;
  const found = `${describe(open)} once more, where ${words.join(' or ')} is expected`;
  complain('I10, T51', found);
}
