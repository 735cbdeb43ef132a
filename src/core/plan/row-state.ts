import type { Warning } from '../decision/warning.ts';
import type { OpenAction } from './committed-action.ts';
import type { PlanRow } from './plan.ts';
import { isTooYoung } from './waiting-for-age.ts';

/** The states of a row. What needs attention comes first. */
export const ROW_STATES = [
  'needs attention',
  'waiting',
  'due',
  'in progress',
  'up to date',
] as const;
export type RowState = (typeof ROW_STATES)[number];

/** Warnings of a deployed version that should not run, though nothing replaces it (D293). */
export const OF_WHAT_RUNS: ReadonlySet<string> = new Set<Warning['kind']>([
  'deployed-yanked',
  'deployed-refused',
  'failed-in-another-entry',
  'undecided',
]);

/** How urgent a row is: the page says it, and a terminal shows it in colour (D391). */
export function rowState(row: PlanRow, open: OpenAction | undefined): RowState {
  const { warnings } = row;
  const { kind } = row.decision;
  if (open?.state === 'delivered') return 'in progress';
  // What is tried again and again is not just due (D184).
  if (open && open.failures > 0) return 'needs attention';
  if (kind === 'hold' || isTooYoung(row)) return 'waiting';
  if (kind === 'stuck') return 'needs attention';
  if (kind === 'replace') return 'due';
  return warnings.some((one) => OF_WHAT_RUNS.has(one.kind)) ? 'needs attention' : 'up to date';
}
