import { decide, describeDecision, type DecideInput } from '../../core/index.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { WAITS_FOR } from '../../core/plan/logged-decisions.ts';
import { targetText } from '../../core/explanation/plan-words.ts';

/** What a decision comes to, without the facts that led to it. */
export interface DecisionOutcome {
  /** One word: `up-to-date`, `hold`, `stuck`, … */
  readonly decision: string;
  readonly target: string | undefined;
  readonly reason: string;
}

/** The outcome of the decision with this input. */
export function outcomeOf(input: DecideInput): DecisionOutcome {
  const decision = decide(input);
  return {
    decision: wordFor(decision),
    target: targetText(decision),
    reason: describeDecision(decision),
  };
}

/** The fields in which two outcomes differ. A dependency that an action waits for is no part of its decision. */
export function differences(
  recorded: DecisionOutcome,
  recomputed: DecisionOutcome,
): (keyof DecisionOutcome)[] {
  const isSameReason =
    recorded.reason === recomputed.reason ||
    recorded.reason.startsWith(`${recomputed.reason}; ${WAITS_FOR}`);
  return [
    ...(recorded.decision === recomputed.decision ? [] : (['decision'] as const)),
    ...(recorded.target === recomputed.target ? [] : (['target'] as const)),
    ...(isSameReason ? [] : (['reason'] as const)),
  ];
}
