import type { DocumentKind, DocumentProblem } from '../config/index.ts';
import { adviceOn, type Report } from '../config/report.ts';
import type { UnknownField } from '../core/machine/machine.ts';
import { excerpt } from '../core/text/quote.ts';
import { printedCode } from '../base/codes.ts';
import { countOf } from '../base/count.ts';
import type { Problem } from '../base/problem.ts';

const NAMED = 3;
const LONGEST_MESSAGE = 300;

/** The problem that a required document has errors, with the first of them. With `as`, the hint names `modreg check`. */
export function documentWithErrors(
  name: string,
  path: string,
  { errors, problems }: Report,
  as?: DocumentKind,
): Problem {
  const first = problems.filter(({ severity }) => severity === 'error').slice(0, NAMED);
  return {
    severity: 'error',
    kind: 'bad-value',
    message: `${name} ${excerpt(path)} has ${countOf(errors, 'error')}`,
    because: first.map(
      ({ line, column, kind, path: place, ...problem }) =>
        `${line}:${column} ${[printedCode(kind), excerpt(place)].join(' ').trim()}: ${adviceOn(problem)}`,
    ),
    hint: as && `modreg check ${excerpt(path)} --as ${as} shows them all`,
    document: as,
  };
}

/** What is ignored, whatever its author intended, or will be refused (D61). */
const LASTING: ReadonlySet<DocumentProblem['kind']> = new Set(['unknown-field', 'secret-variable']);

/** A warning for each unknown field of a document, and for each variable that a later version refuses. */
export function lastingWarnings(path: string, report: Report): Problem[] {
  return warningsAt(path, report, ({ kind }) => LASTING.has(kind));
}

/** Those of `fields`, which hold every replacement (D240). */
export function unknownFieldWarnings(
  path: string,
  report: Report,
  fields: readonly UnknownField[] = [],
): Problem[] {
  const paths = new Set(fields.map((field) => field.path));
  return warningsAt(path, report, (one) => one.kind === 'unknown-field' && paths.has(one.path));
}

function warningsAt(
  path: string,
  { problems }: Report,
  isWanted: (problem: DocumentProblem) => boolean,
): Problem[] {
  return problems.flatMap((problem): Problem[] => {
    if (problem.severity !== 'warning' || !isWanted(problem)) return [];
    const { kind, line, column, path: place, message, suggestion, hint } = problem;
    const at = `${excerpt(path)}:${line}:${column}`;
    const what = `${at} ${excerpt(place)}: ${message}`;
    return [{ severity: 'warning', kind, message: what, suggestion, hint }];
  });
}

/** The place and the message of a problem, cut at 300 characters. */
export function textOf(
  problem: Pick<DocumentProblem, 'path' | 'message' | 'suggestion' | 'hint'>,
): string {
  const place = problem.path === '' ? '' : `${excerpt(problem.path)}: `;
  const text = `${place}${adviceOn(problem)}`;
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;
}
