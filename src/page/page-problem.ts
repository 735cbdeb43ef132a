/** Why the page cannot show or do something. */
export interface PageProblem {
  /** The printed code: `NO_MATCH`. */
  readonly code: string;
  /** What was found and where, in one escaped line. */
  readonly message: string;
  readonly because?: readonly string[];
  /** What to do next. */
  readonly hint?: string | undefined;
}
