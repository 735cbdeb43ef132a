import { replacementOf, wordFor } from '../decision/decision.ts';
import { reportedText } from '../explanation/decision-words.ts';
import { fitted } from '../explanation/headline.ts';
import { targetText } from '../explanation/plan-words.ts';
import { shownDecision, YANKED } from '../explanation/shown-decision.ts';
import { passing, say, type Said } from '../text/time-words.ts';
import type { LoggedDecision } from './logged-decisions.ts';
import type { PlanRow } from './plan.ts';

/** What needs time alone, and no person: a release that is too young, or that is published later. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ['release-of-age', 'old enough'],
  ['release-published', 'published'],
]);

/** Whether nothing can be selected only because a release is too young: then it is not stuck, but waits (D388). */
export function isTooYoung({
  decision,
  nextChange,
}: Pick<PlanRow, 'decision' | 'nextChange'>): boolean {
  return (
    decision.kind === 'stuck' &&
    nextChange !== undefined &&
    ENDS.has(nextChange.because) &&
    replacementOf(nextChange.becomes) !== undefined
  );
}

/**
 * The word of a row as people read it: `waiting` in place of `stuck` if a release is only too young, `yanked` if what is deployed was yanked, and
 * stays (D409).
 */
export function rowWord(row: Pick<PlanRow, 'decision' | 'nextChange' | 'warnings'>): string {
  if (isTooYoung(row)) return 'waiting';
  const isYanked = row.warnings.some(({ kind }) => kind === 'deployed-yanked');
  return isYanked && row.decision.kind === 'keep' ? YANKED : shownDecision(wordFor(row.decision));
}

/** The same of a logged decision. */
export function shownWord({
  decision,
  next,
  deployedYanked,
}: Pick<LoggedDecision, 'decision' | 'next' | 'deployedYanked'>): string {
  const isWaiting =
    decision === 'stuck' &&
    next !== undefined &&
    ENDS.has(next.because) &&
    next.decision !== 'stuck';
  if (isWaiting) return 'waiting';
  const isKept = decision === 'up-to-date' || decision === 'ahead';
  return isKept && deployedYanked ? YANKED : shownDecision(decision);
}

/** `1.2.3 is old enough in 4 d · nothing deployed`; undefined if no release is only too young. */
export function tooYoungHeadline(row: Pick<PlanRow, 'decision' | 'nextChange'>): Said | undefined {
  const { decision, nextChange } = row;
  if (!isTooYoung(row) || !nextChange) return undefined;
  const fact = say`${targetText(nextChange.becomes) ?? 'a release'} is ${ENDS.get(nextChange.because) ?? ''} ${passing(nextChange.at)}`;
  const deployed = reportedText(decision.input.deployed);
  return fitted({
    fact,
    outcome: deployed === undefined ? 'not installed yet' : `${deployed} stays`,
  });
}
