import type { DocumentKind } from '../../config/index.ts';
import type { Report } from '../../config/report.ts';
import { excerpt } from '../../core/text/quote.ts';
import { printedCode } from '../codes.ts';
import { countOf } from '../output/count.ts';
import type { Problem } from '../problem.ts';

const NAMED = 3;

/** That a document that is needed has errors, with the first of them. All are shown by `check`, where it knows them. */
export function unreadDocument(
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
      ({ line, column, kind, path: place, message }) =>
        `${line}:${column} ${[printedCode(kind), excerpt(place)].join(' ').trim()}: ${message}`,
    ),
    hint: as && `modreg check ${excerpt(path)} --as ${as} shows them all`,
  };
}

/** The fields of a document that nothing reads: what was meant by one is not acted upon. */
export function unreadFields(path: string, { problems }: Report): Problem[] {
  return problems.flatMap((problem): Problem[] => {
    if (problem.severity !== 'warning' || problem.kind !== 'unknown-field') return [];
    const { kind, line, column, path: place, message, suggestion } = problem;
    const at = `${excerpt(path)}:${line}:${column}`;
    return [
      { severity: 'warning', kind, message: `${at} ${excerpt(place)}: ${message}`, suggestion },
    ];
  });
}
