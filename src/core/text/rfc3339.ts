import { parseError, type ParseError } from './parse-error.ts';
import type { Result } from './result.ts';

export type TimeError = ParseError<'bad-time'>;

const DATE_TIME =
  /^(\d{4}-\d{2}-(\d{2}))T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const LONGEST_TIME = 64;
/** 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z: RFC 3339 cannot write others in UTC. */
export const EARLIEST_TIME: number = -62_167_219_200_000;
export const LATEST_TIME: number = 253_402_300_799_999;
// The limit of a `Date`, in either direction.
const FARTHEST_TIME = 8.64e15;

const NO_TIME = { expected: 'a date and time with its offset, such as 2026-11-21T01:02:03Z' };
const NO_YEAR = {
  expected: 'a time in the years 0000 to 9999 of UTC',
  verdict: 'not in the years 0000 to 9999 of UTC',
};

/**
 * Parses an RFC 3339 date and time with its offset to milliseconds since the epoch. Fractions of a millisecond are
 * dropped. A leap second counts as the second before it. A time whose year in UTC is not 0000 to 9999 is refused, because
 * RFC 3339 has no form for it (T256).
 */
export function parseTime(text: unknown): Result<number, TimeError> {
  const ms = typeof text === 'string' && text.length <= LONGEST_TIME ? readTime(text) : Number.NaN;
  if (isWritable(ms)) return { ok: true, value: ms };
  const misfit = Number.isNaN(ms) ? NO_TIME : NO_YEAR;
  return { ok: false, error: parseError('bad-time', text, { position: 0, ...misfit }) };
}

/** Whether `ms` since the epoch can be written as RFC 3339 in UTC, and so be parsed again. */
export function isWritable(ms: number): boolean {
  return ms >= EARLIEST_TIME && ms <= LATEST_TIME;
}

/** The usual form, on a day that every month has. */
const USUAL_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** Whether `text` is certainly a time. Takes a tenth of the time of `parseTime`, which accepts more. */
export function isUsualTime(text: unknown): boolean {
  return typeof text === 'string' && USUAL_TIME.test(text);
}

/** Formats `ms` since the epoch in UTC, without a fraction if that is zero. */
export function formatTime(ms: number): string {
  return isTime(ms) ? new Date(ms).toISOString().replace('.000Z', 'Z') : 'the end of time';
}

/** Whether `ms` since the epoch is a time that a `Date` can represent. */
export function isTime(ms: number): boolean {
  return Math.abs(ms) <= FARTHEST_TIME;
}

function readTime(text: string): number {
  const [, date, day] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  // Date.parse reads February 30 as March 2.
  if (Number(day) > 28 && new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) {
    return Number.NaN;
  }
  return Date.parse(text.toUpperCase().replace(':60', ':59'));
}
