import { momentAt } from '../config/local-time.ts';
import type { Result } from '../core/index.ts';
import { parseDuration } from '../core/text/duration.ts';
import { isWritable, parseTime, type TimeError } from '../core/text/rfc3339.ts';

const DAY = 86_400_000;
/** What a clock shows, and its time zone. */
const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})? ([A-Za-z][A-Za-z0-9_+/-]*)$/;

/**
 * The time that a person names, in milliseconds since the epoch: as RFC 3339; `+12h` or `-2d` from now; `tomorrow` or `yesterday` at the time
 * of now; or `2026-11-22T06:00 Europe/Berlin`, where a time that occurs twice is the first one (T700).
 */
export function askedTime(text: string, now: number): Result<number, TimeError> {
  const ms = relative(text, now) ?? local(text);
  return ms !== undefined && isWritable(ms) ? { ok: true, value: ms } : parseTime(text);
}

function relative(text: string, now: number): number | undefined {
  if (text === 'tomorrow') return now + DAY;
  if (text === 'yesterday') return now - DAY;
  const [, sign, span = ''] = /^([+-])(.+)$/.exec(text) ?? [];
  const duration = sign === undefined ? undefined : parseDuration(span);
  if (!duration?.ok) return undefined;
  return sign === '+' ? now + duration.value : now - duration.value;
}

function local(text: string): number | undefined {
  const [, date, minutes, seconds = ':00', timeZone = ''] = LOCAL.exec(text) ?? [];
  // Also refuses days and hours that no clock shows.
  const shown = date === undefined ? undefined : parseTime(`${date}T${minutes}${seconds}Z`);
  if (!shown?.ok) return undefined;
  try {
    return momentAt(shown.value, timeZone, 'first');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
