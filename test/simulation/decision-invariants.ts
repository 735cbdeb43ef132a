import semver from 'semver';
import { isAddress, isInBranch, isPin } from '../support/plan-judge.ts';
import { casesNow } from './facts.ts';
import { describe, listsFor, type JudgeContext } from './judge-context.ts';
import { constraintOf, isLocalEntry, expectation, mayRun, type Case } from './expectation.ts';
import {
  keyOf,
  knownOf,
  termsOf,
  type Ledger,
  type OpenAction,
  type SeenAction,
  type Target,
} from './ledger.ts';
import { requestFor } from './requests.ts';
import { judgeRules } from './rules-judge.ts';

/** Matches an expectation that calls for an action. */
export const DUE: RegExp = /^(upgrade|downgrade|install|rollback|restart) /;

/** Compares a decision with the expected one. (I1 to I5, I7, I10, I15, D86, D90, D94) */
export function judgeDecision(context: JudgeContext, action: SeenAction): void {
  if (hasJustLeft(context, action.target)) return;
  if (isOfLocalModule(context, action)) {
    judgeRequested(context, action);
    return;
  }
  judgeChoice(context, action);
  judgeRules(context, action);
  if (action.direction === 'restart') judgeRestart(context, action);
  else judgeDirection(context, action);
  const { ledger, complain } = context;
  const { target } = action;
  // Before it is begun, the modules are asked once more.
  const cases = casesNow(context, { target });
  const words = [...cases, ...cases.map(withoutVetoes)].map((one) => expectation(ledger, one));
  if (words.includes(`${action.direction} ${action.to}`)) return;
  const found = `${describe(action)}, where ${words.join(' or ')} is expected`;
  complain(invariantOf(action, words[0] ?? ''), found);
}

/**
 * Whether the config that no longer asks for a target arrives at this moment: an action of the plan before is still delivered, and asks
 * again before it begins. (D72)
 */
function hasJustLeft({ ledger, moment }: JudgeContext, target: Target): boolean {
  const { desired, desiredBefore, desiredSince } = ledger;
  const isAsked = desired && constraintOf(desired, target) !== undefined;
  if (isAsked === true || !desiredBefore || desiredSince !== moment().elapsed) return false;
  return constraintOf(desiredBefore, target) !== undefined;
}

/** Whether a local module restarts, which no constraint asks for (D344). */
function isOfLocalModule({ ledger }: JudgeContext, { target, direction, to }: SeenAction): boolean {
  return isLocalEntry(ledger, target) && direction === 'restart' && to === 'local';
}

function withoutVetoes(of: Case): Case {
  return { ...of, facts: of.facts && { ...of.facts, vetoes: [] } };
}

function judgeChoice(context: JudgeContext, action: SeenAction): void {
  const { ledger, complain } = context;
  const { target, to, digest } = action;
  const { desired } = ledger;
  const constraint = desired && constraintOf(desired, target);
  if (!desired || constraint === undefined) {
    complain('I1', `${describe(action)}, which no entry asks for`);
    return;
  }
  const isInConstraint = action.direction === 'restart' || isInBranch(constraint, to);
  if (!isInConstraint)
    complain(isPin(constraint) ? 'I4' : 'I1', `${describe(action)} for ${constraint}`);
  const files = listsFor(context, target).flatMap((list) =>
    (list?.trusted ?? []).flatMap(({ version, artifacts = [] }) =>
      artifacts.flatMap((file) => (version === to ? [file.digest] : [])),
    ),
  );
  const [, pinned] = /#sha256=(.*)$/.exec(to) ?? [];
  if (pinned !== undefined) files.push(`sha256:${pinned}`);
  // `trusted` lists omit a file that differs from the first one seen for the release.
  if (digest !== undefined && !files.includes(digest)) {
    complain(
      'I2',
      `${describe(action)} with ${digest}, where ${files.join(' or ') || 'no digest'} is known`,
    );
  }
  const isDisabled = desired.server.isDisabled && target.name !== 'platform-agent';
  if (isDisabled) complain('I10', `${describe(action)} while disabled`);
}

/** A restart deploys nothing. (D41) */
function judgeRestart(context: JudgeContext, action: SeenAction): void {
  const { ledger, complain } = context;
  const { target, from, to } = action;
  const { running } = knownOf(ledger, target);
  const isSame = running === to && (from === to || isAddress(to));
  if (!isSame) complain('D41', `${describe(action)}, and ${String(running)} is deployed`);
  judgeRequested(context, action);
}

function judgeRequested({ ledger, complain }: JudgeContext, action: SeenAction): void {
  const isRequested = requestFor(ledger, action.target) !== undefined;
  if (!isRequested) complain('D41', `${describe(action)}, which nobody requested`);
}

function judgeDirection(context: JudgeContext, action: SeenAction): void {
  const { ledger, complain } = context;
  const { target, to, direction } = action;
  const { running, failed } = knownOf(ledger, target);
  const constraint = (ledger.desired && constraintOf(ledger.desired, target)) ?? '';
  const isRecovery = direction === 'rollback' && failed !== undefined;
  if (running === undefined && !isRecovery)
    complain('D14', `${describe(action)}, and the deployed version is unknown`);
  if (isAddress(to) || typeof running !== 'string' || semver.valid(running) === null) return;
  const isLower = semver.compareBuild(to, running) < 0;
  const isReason =
    isPin(constraint) || !isInBranch(constraint, running) || isRecalled(context, action.target);
  if (isLower && direction !== 'rollback' && !isReason) {
    complain('I3', `${describe(action)} for ${constraint}, and ${running} is deployed`);
  }
  const isEqual = semver.compare(to, running) === 0;
  if (isEqual && direction === 'upgrade' && !isReason) {
    complain('I7', `${describe(action)} is no upgrade of ${running}`);
  }
}

/** Whether the deployed version was yanked, and the policy replaces it. (D33) */
function isRecalled(context: JudgeContext, target: Target): boolean {
  const { desired } = context.ledger;
  if (!desired || termsOf(desired, target.name).onYank === 'keep') return false;
  const { running } = knownOf(context.ledger, target);
  return listsFor(context, target).some((list) =>
    list?.trusted.some(({ version, yanked }) => version === running && yanked !== undefined),
  );
}

/** The invariant that a wrong decision breaks. */
function invariantOf({ direction }: SeenAction, expected: string): string {
  if (direction === 'restart' || expected.startsWith('restart')) return 'D41';
  if (expected.startsWith('hold')) return 'I10, I15';
  if (expected.startsWith('stuck')) return 'I11';
  if (expected === 'up-to-date') return 'I7, I12';
  return direction === 'upgrade' ? 'I5' : 'I3';
}

/** A module does not return to its previous version without a reason. (I7) */
export function judgeMove({ ledger, complain }: JudgeContext, action: SeenAction): void {
  if (action.direction === 'restart') return;
  const key = keyOf(action.target);
  const last = ledger.moves.get(key);
  const { running } = knownOf(ledger, action.target);
  const isBack = last?.from === action.to && last.to === running;
  // A quarantine that ends on its own is a reason.
  const { until } = ledger.quarantine.get(`${action.target.moduleId} ${action.to}`) ?? {};
  if (isBack && last.novelty === ledger.novelty && until === undefined) {
    complain('I7', `${describe(action)}, after ${last.from} → ${last.to} and nothing in between`);
  }
  ledger.moves.set(key, { from: running, to: action.to, novelty: ledger.novelty });
}

/** A missing list or deployed version is no reason to end an open action. (D21, I11) */
export function judgeEnd(context: JudgeContext, open: OpenAction): void {
  const { ledger, complain } = context;
  const { target, id } = open;
  const words = casesNow(context, { target, without: id }).map((one) => expectation(ledger, one));
  const isUnknown = words.every((word) =>
    /^stuck (no-list|list-stale|deployed-unknown)/.test(word),
  );
  if (isUnknown)
    complain('I11', `${describe(open)} is ended, where ${words.join(' or ')} is expected`);
}

/**
 * An action that may be half done is delivered again, unless its version must not run. (T51, T55) A restart is finished
 * before a replacement, and a replacement that is held waits while a restart is due. (D41)
 */
export function judgeAgain(context: JudgeContext, open: OpenAction): void {
  const expected = whyUnfit(context, open);
  if (expected === undefined) return;
  const found = `${describe(open)} is delivered again, where ${expected} is expected`;
  context.complain('I10, T51', found);
}

/** What is expected instead of a delivered action; undefined if it may go on now. */
export function whyUnfit(context: JudgeContext, open: OpenAction): string | undefined {
  // One that is delivered is finished (D344).
  if (isOfLocalModule(context, open)) return undefined;
  const cases = casesNow(context, { target: open.target, without: open.id });
  if (cases.some((one) => isFit(context, open, one))) return undefined;
  return cases.map((one) => expectation(context.ledger, one)).join(' or ');
}

/** Whether it may go on now, whatever is uncertain. */
export function isFitAnyway(context: JudgeContext, open: OpenAction): boolean {
  const cases = casesNow(context, { target: open.target, without: open.id });
  return cases.every((one) => isFit(context, open, one));
}

function isFit({ ledger }: JudgeContext, { target, to, direction }: OpenAction, of: Case): boolean {
  const word = expectation(ledger, of);
  if (direction === 'restart') return mayRestart(ledger, target, to, word);
  const isDue = DUE.test(word) && direction !== 'rollback' && !word.startsWith('restart ');
  return word === `${direction} ${to}` || (isDue && mayRun(ledger, of, to));
}

function mayRestart(ledger: Ledger, target: Target, to: string, word: string): boolean {
  const isDue = DUE.test(word) && !word.startsWith('rollback ');
  return isDue && knownOf(ledger, target).running === to;
}
