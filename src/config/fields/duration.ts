import type { Result } from '../../core/index.ts';
import { quote } from '../../core/quote.ts';
import { badValue, type Fault } from '../fault.ts';
import { readsText, type Schema } from './fields.ts';

const SECOND = 1000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', SECOND],
  ['m', 60 * SECOND],
  ['h', 3600 * SECOND],
  ['d', 86_400 * SECOND],
]);
/** No term is meant to be longer. */
const LONGEST = 3660 * 86_400 * SECOND;

export const DURATION_PATTERN = '^\\d{1,9}[smhd]$';

/** The milliseconds of `5m`, `12h`, `7d`, up to ten years. */
export function readDuration(text: string): Result<number, Fault> {
  const [, digits, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS.get(unit) ?? Number.NaN);
  if (ms <= LONGEST) return { ok: true, value: ms };
  const expected = 'a whole number and one of s, m, h, d, ten years at most, as in 5m';
  return { ok: false, error: badValue(`${quote(text)} is not a duration, expected ${expected}`) };
}

/** A duration, in milliseconds. */
export const duration: Schema<number> = readsText('a duration such as 5m', readDuration, {
  pattern: DURATION_PATTERN,
});
