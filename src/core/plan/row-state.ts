import { OF_WHAT_RUNS } from '../decision/warning.ts';
import type { OpenAction } from './committed-action.ts';
import type { PlanRow } from './plan.ts';
import { isSettled } from '../explanation/shown-decision.ts';
import { rowWord } from './waiting-for-age.ts';

/** The states of a row. What needs attention comes first. */
export const ROW_STATES = [
  'needs attention',
  'waiting',
  'due',
  'in progress',
  'up to date',
] as const;
export type RowState = (typeof ROW_STATES)[number];

/** What the state of a module follows from. */
export interface StateFacts {
  /** The word of the decision, as people read it. */
  readonly word: string;
  /** The action that the agent has, or gets next. */
  readonly open: OpenAction | undefined;
  /** Whether what is deployed ends again and again. */
  readonly isFailing: boolean;
  /** Whether what is deployed should not run: it was yanked, or the policy refuses it (D293). */
  readonly isUnfit: boolean;
}

/** How urgent a row is: the pages say it, and a terminal shows it in colour (D391, D422). */
export function stateOf({ word, open, isFailing, isUnfit }: StateFacts): RowState {
  if (open?.state === 'delivered') return 'in progress';
  // What is tried again and again is not just due (D184).
  if ((open && open.failures > 0) || isFailing) return 'needs attention';
  if (word === 'waiting') return 'waiting';
  if (word === 'stuck') return 'needs attention';
  if (!isSettled(word)) return 'due';
  return isUnfit ? 'needs attention' : 'up to date';
}

/** The state of a row of a plan. */
export function rowState(
  row: PlanRow,
  { open, isFailing }: Pick<StateFacts, 'open' | 'isFailing'>,
): RowState {
  const isUnfit = row.warnings.some((one) => OF_WHAT_RUNS.has(one.kind));
  return stateOf({ word: rowWord(row), open, isFailing, isUnfit });
}
