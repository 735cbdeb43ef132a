import { printedCode } from '../base/codes.ts';
import type { Problem } from '../base/problem.ts';
import type { Result } from '../core/index.ts';

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

/** What was found about one row, or about the machine. */
export interface FoundProblem extends PageProblem {
  /** The name of the module entry or the subsystem that it alone concerns; undefined if it concerns several, or none. */
  readonly of?: string | undefined;
  readonly severity?: Problem['severity'];
}

export function asFoundProblem(problem: Problem): FoundProblem {
  const { of, severity } = problem;
  return { ...asPageProblem(problem), of, severity };
}

/** A problem of a use case for the page. Of a document with errors, it says what the machine keeps (T215). */
export function asPageProblem(problem: Problem): PageProblem {
  const { kind, message, because = [], hint, document } = problem;
  const kept = document === undefined ? '' : KEPT;
  return { code: printedCode(kind), message: message + kept, because, hint };
}

const KEPT = '; an agent that runs keeps the last one without errors';

/** The same result with problems of the page. */
export function onPage<T>(result: Result<T, readonly Problem[]>): Result<T, PageProblem[]> {
  return result.ok ? result : { ok: false, error: result.error.map(asPageProblem) };
}

/** The refusal with one problem that only the page has. */
export function refused(
  code: string,
  message: string,
  more: Pick<PageProblem, 'because' | 'hint'> = {},
): { readonly ok: false; readonly error: PageProblem[] } {
  return { ok: false, error: [{ code, message, ...more }] };
}

/** What a command reports about its options is about the fields of a body. */
export function asBadField(problem: PageProblem): PageProblem {
  return problem.code === 'USAGE' ? { ...problem, code: 'BAD_FIELD' } : problem;
}
