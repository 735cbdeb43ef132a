import type { StateWord } from '../../base/problem.ts';
import type { RowState } from '../../core/plan/row-state.ts';

/** How urgent a state is on a terminal: what is due or under way has no colour (D391). */
export const URGENCIES: Readonly<Partial<Record<RowState, StateWord['urgency']>>> = {
  'needs attention': 'attention',
  waiting: 'waiting',
  'up to date': 'settled',
};
