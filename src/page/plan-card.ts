import { printedCode } from '../base/codes.ts';
import type { PlanRow, Warning } from '../core/index.ts';
import { replacementOf } from '../core/decision/decision.ts';
import { decisionWords } from '../core/explanation/decision-words.ts';
import { deployedCell } from '../core/explanation/plan-cells.ts';
import {
  nextWords,
  requirementText,
  targetText,
  warningWords,
} from '../core/explanation/plan-words.ts';
import { signedWords } from '../core/explanation/signed-words.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { failureWords } from '../core/plan/open-action-words.ts';
import { OF_WHAT_RUNS } from '../core/decision/warning.ts';
import { remedyOf, untilLiftedWords } from '../core/plan/remedy.ts';
import { yankedStaysWords } from '../core/plan/yanked-stays.ts';
import { rowState, type StateFacts } from '../core/plan/row-state.ts';
import { say, wordsOf, type Said, type TimeContext } from '../core/text/time-words.ts';
import { currentHeadline, describeFailures, type Failing } from '../host/recent-failures.ts';
import type { CardRow } from './card-row.ts';
import { remedyWords } from './remedy-words.ts';
import type { FoundProblem } from './page-problem.ts';

/** What the row of a plan says on a card. */
type CardWords = Pick<
  CardRow,
  | 'state'
  | 'constraint'
  | 'deployed'
  | 'target'
  | 'isChange'
  | 'latest'
  | 'signatures'
  | 'headline'
  | 'nextChange'
  | 'remedy'
  | 'stops'
  | 'warnings'
  | 'reasons'
  | 'times'
>;

/** What the words follow from, beside the row. */
interface CardFacts extends Pick<StateFacts, 'open'> {
  /** What is deployed, if it ends again and again. */
  readonly failing: Failing | undefined;
  /** Those that the row alone concerns. */
  readonly problems: readonly FoundProblem[];
  readonly times: TimeContext;
}

/** The words of a row of a plan. */
export function cardWords(plan: PlanRow, { open, failing, problems, times }: CardFacts): CardWords {
  const { decision, latest, stops } = plan;
  const now = { open, isFailing: failing !== undefined };
  const headline = currentHeadline(plan, { open, failing });
  // What fails is started again meanwhile, which its headline says.
  const stays = untilLiftedWords(plan) ?? yankedStaysWords(plan);
  const next = nextWords(plan) ?? (failing ? undefined : stays);
  const isNextSaid = isTimeOf(headline, plan);
  const notices = noticesOf(plan, problems);
  const target = targetText(decision) ?? '-';
  const deployed = deployedCell(decision.input.deployed);
  return {
    state: rowState(plan, now),
    constraint: requirementText(decision.input.requirement) ?? decision.input.requirement.kind,
    deployed,
    target,
    isChange: replacementOf(decision) !== undefined && target !== deployed,
    latest: latest?.text ?? '-',
    signatures: signedWords(decision),
    headline,
    nextChange: isNextSaid ? undefined : next,
    remedy: remedyWords(remedyOf(plan, now)),
    stops,
    warnings: notices.warnings,
    reasons: [
      ...(failing ? [describeFailures(failing.version, failing)] : []),
      ...reasonsOf(plan, open),
      ...notices.details,
      ...(isNextSaid && next ? [say`next ${next}`] : []),
    ],
    times,
  };
}

/** Why. While an action is carried out, why it is; what would be decided otherwise does not matter then. */
function reasonsOf({ decision }: PlanRow, open: OpenAction | undefined): Said[] {
  const reason = open?.state === 'delivered' ? open.action.reason : undefined;
  const now = reason ? (reason.words ?? reason.text) : decisionWords(decision);
  return [failureWords(open) ?? [], now].flat();
}

/** Whether the headline says when the next change is. */
function isTimeOf(headline: Said, { nextChange, afterActions }: PlanRow): boolean {
  return (
    nextChange !== undefined && !afterActions && wordsOf(headline).times.includes(nextChange.at)
  );
}

/** What was found about a row beside its decision: warnings, and what explains its headline. */
function noticesOf(
  { decision, warnings }: PlanRow,
  problems: readonly FoundProblem[],
): { readonly warnings: readonly Said[]; readonly details: readonly Said[] } {
  const isKept = decision.kind === 'keep';
  const words = (one: Warning): Said => warningWords(one, decision);
  const inHeadline = warnings.filter(({ kind }) => isKept && OF_WHAT_RUNS.has(kind));
  const others = warnings.filter(
    (one) => !SAID_BY_REASON.has(one.kind) && !inHeadline.includes(one),
  );
  const said = new Set<string>(warnings.map(({ kind }) => printedCode(kind)));
  const errors = problems.filter(({ severity }) => severity === 'error');
  const found = problems.filter((one) => !errors.includes(one) && !said.has(one.code));
  const isReason = isKept && decision.because === 'ahead';
  return {
    warnings: [...others.map(words), ...found.map(({ message }) => message)],
    details: [
      ...(isReason ? [] : inHeadline.map(words)),
      ...errors.flatMap(({ because = [], hint }) => because.concat(hint ?? [])),
    ],
  };
}

/** Warnings that are the reason of the decision in other words. */
const SAID_BY_REASON: ReadonlySet<string> = new Set<Warning['kind']>(['ahead', 'downgrade']);
