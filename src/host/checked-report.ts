import type { DocumentProblem } from '../config/index.ts';
import { MOST_PROBLEMS, type Report } from '../config/report.ts';
import type { ErrorKind, WarningKind } from '../base/codes.ts';

/** The problems of a document, and those of its module entries that release lists show. */
export interface CheckedReport extends Pick<Report, 'errors' | 'warnings'> {
  /** At most 50, in the order of the document. */
  readonly problems: readonly CheckedProblem[];
}

/** A problem with its place in a document. */
export type CheckedProblem = Omit<DocumentProblem, 'severity' | 'kind'> &
  (
    | { readonly severity: 'error'; readonly kind: ErrorKind }
    | { readonly severity: 'warning'; readonly kind: WarningKind }
  );

/** The report with more problems. If there are too many, warnings are omitted first. */
export function withFound(report: CheckedReport, found: readonly CheckedProblem[]): CheckedReport {
  const all = [...report.problems, ...found];
  const errors = all.filter(({ severity }) => severity === 'error');
  const warnings = all.filter(({ severity }) => severity === 'warning');
  const count = (kind: CheckedProblem['severity']): number =>
    found.filter(({ severity }) => severity === kind).length;
  return {
    problems: [...errors, ...warnings].slice(0, MOST_PROBLEMS).toSorted(byPlace),
    errors: report.errors + count('error'),
    warnings: report.warnings + count('warning'),
  };
}

function byPlace(a: CheckedProblem, b: CheckedProblem): number {
  return a.line - b.line || a.column - b.column;
}
