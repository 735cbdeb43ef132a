import type { Plan, Platform } from '../../core/index.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { PlanLists } from './plan-lists.ts';

/** A plan, its inputs, and its time. */
export interface Planned {
  readonly path: string;
  readonly documents: PlanDocuments;
  readonly lists: PlanLists;
  readonly plan: Plan;
  readonly platform: Platform;
  readonly now: number;
  /** Whether `now` is from `--at` and not from the clock. */
  readonly isAsOf: boolean;
}
