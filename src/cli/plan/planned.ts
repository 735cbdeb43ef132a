import type { Plan, Platform } from '../../core/index.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { PlanLists } from './plan-lists.ts';

/** A plan, what it was made of, and as of when. */
export interface Planned {
  readonly path: string;
  readonly documents: PlanDocuments;
  readonly lists: PlanLists;
  readonly plan: Plan;
  readonly platform: Platform;
  readonly now: number;
  /** Whether another time than the present was asked about. */
  readonly isAsOf: boolean;
}
