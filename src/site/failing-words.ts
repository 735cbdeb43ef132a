import * as v from 'valibot';
import { excerpt } from '../core/text/quote.ts';
import { countOf } from '../base/count.ts';
import { storedFailing, type FailingModule } from '../registry/machine-report.ts';

/** `1.3.0 failed 4 times because of the machine, next attempt 2026-11-25T12:05:00Z: the disk is full`. */
export function failingWords({ version, blame, attempts, reason, next_at }: FailingModule): string {
  const times = attempts === undefined ? '' : ` ${countOf(attempts, 'time')}`;
  const next = next_at === null ? '' : `, next attempt ${excerpt(next_at)}`;
  const why = reason === null ? '' : `: ${excerpt(reason)}`;
  return `${excerpt(version)} failed${times} ${blameWords(blame)}${next}${why}`;
}

/** The same from the answer of a registry; undefined if nothing fails. */
export function reportedFailing(answer: unknown): string | undefined {
  return v.is(storedFailing, answer) ? failingWords(answer) : undefined;
}

/** Whose fault a failure is: `because of the machine`. */
export function blameWords(blame: string): string {
  if (blame === 'undecided') return 'as the version before it does';
  return `because of the ${excerpt(blame)}`;
}
