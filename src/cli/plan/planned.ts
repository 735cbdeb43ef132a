import type { Plan, Platform, Result } from '../../core/index.ts';
import type { Problem } from '../../base/problem.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';
import type { Facts } from '../../host/plan-facts.ts';
import type { PlanLists } from '../../host/plan-lists.ts';

/** A plan, its inputs, and its time. */
export interface Planned {
  readonly path: string;
  readonly documents: PlanDocuments;
  readonly facts: Facts;
  readonly lists: PlanLists;
  readonly plan: Plan;
  readonly platform: Platform;
  /** The id of the machine, which rollouts use, or why it is not known. */
  readonly machineId: Result<string | undefined, Problem>;
  readonly now: number;
  /** Whether `now` is from `--at` and not from the clock. */
  readonly isAsOf: boolean;
}
