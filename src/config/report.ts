import { jsonPointer } from '../core/text/json-pointer.ts';
import { excerpt } from '../core/text/quote.ts';
import type {
  DocumentErrorKind,
  DocumentProblem,
  DocumentWarningKind,
} from './document-problem.ts';
import type { DocumentKind } from './document-kind.ts';
import type { JsonDocument, Located } from './text/json-document.ts';
import { positionIn } from './text/position.ts';

/** The kind of a document, and its errors and warnings. */
export interface CheckResult {
  /** At most 50, in document order. If there are more, warnings are omitted before errors. */
  readonly problems: readonly DocumentProblem[];
  /** The number of errors, including those that `problems` omits. */
  readonly errors: number;
  /** The number of warnings, including those that `problems` omits. */
  readonly warnings: number;
  /** The requested kind, or else the kind that the document's fields suggest. */
  readonly kind: DocumentKind;
  /** How many module entries the document has. */
  readonly modules: number;
}

/** The errors and warnings of a document. */
export type Report = Pick<CheckResult, 'problems' | 'errors' | 'warnings'>;

/** A longer report is not useful to a person. */
export const MOST_PROBLEMS = 50;

const WARNINGS: Readonly<Record<DocumentWarningKind, true>> = {
  'unknown-field': true,
  'shadowed-pin': true,
  'conflicting-constraints': true,
  'unused-module': true,
  'missing-version': true,
  'no-program': true,
  'secret-variable': true,
  'idle-blackout': true,
  'unsigned-releases': true,
  'idle-trust': true,
};

/** Reports `findings`, each with its line and column in `text`. */
export function reportOf(
  text: string,
  findings: readonly Located[],
  offsetOf: JsonDocument['offsetOf'],
): Report {
  const inOrder = findings.toSorted((a, b) => a.offset - b.offset);
  const errors = inOrder.filter(isError);
  const warnings = inOrder.filter((finding) => !isError(finding));
  const problems = [...errors, ...warnings]
    .slice(0, MOST_PROBLEMS)
    .toSorted((a, b) => a.offset - b.offset)
    .map((finding) => problemAt(text, finding, offsetOf));
  return { problems, errors: errors.length, warnings: warnings.length };
}

function problemAt(
  text: string,
  finding: Located,
  offsetOf: JsonDocument['offsetOf'],
): DocumentProblem {
  const { path, end = 'value', isNameHidden, message, offset, also, suggest, hint } = finding;
  const other = also === undefined ? undefined : positionIn(text, offsetOf(also, end));
  const rest = {
    path: jsonPointer(isNameHidden ? path.slice(0, -1) : path),
    ...positionIn(text, offset),
    message: other ? `${message}; see ${other.line}:${other.column}` : message,
    suggestion: suggest?.(),
    hint,
  };
  return isError(finding)
    ? { severity: 'error', kind: finding.kind, ...rest }
    : { severity: 'warning', kind: finding.kind as DocumentWarningKind, ...rest };
}

function isError(finding: Located): finding is Located & { readonly kind: DocumentErrorKind } {
  return !Object.hasOwn(WARNINGS, finding.kind) || finding.isRefused === true;
}

/** The message of a problem, with its suggestion and hint, in one line. */
export function adviceOn({
  message,
  suggestion,
  hint,
}: Pick<DocumentProblem, 'message' | 'suggestion' | 'hint'>): string {
  return [
    message,
    ...(suggestion === undefined ? [] : [`did you mean ${excerpt(suggestion)} ?`]),
    ...(hint === undefined ? [] : [hint]),
  ].join('; ');
}
