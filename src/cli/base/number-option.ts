import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';

/** Parses the value of an option that is a number from 0 to `most`. */
export function wholeNumber(option: string, text: string, most: number): Result<number, Problem> {
  if (/^\d{1,7}$/.test(text) && Number(text) <= most) return { ok: true, value: Number(text) };
  const message = `${option} is ${quote(text)}, expected a whole number from 0 to ${most}`;
  return { ok: false, error: { severity: 'error', kind: 'usage', message } };
}
