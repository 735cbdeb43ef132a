import type { Decision } from './decision.ts';

/** What is decided about one row of a plan once actions of other rows are done. */
export interface AfterActions {
  /** The actions that change the decision. */
  readonly actions: readonly {
    /** The name of the module entry or the subsystem. */
    readonly name: string;
    /** The version that it gets. */
    readonly to: string;
  }[];
  /** The decision with what they deploy. */
  readonly becomes: Decision;
}
