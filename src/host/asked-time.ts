import { momentAt } from '../config/local-time.ts';
import type { Result } from '../core/index.ts';
import { parseDuration } from '../core/text/duration.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { parseError } from '../core/text/parse-error.ts';
import { isWritable, parseTime, type TimeError } from '../core/text/rfc3339.ts';

const DAY = 86_400_000;
/** What a clock shows, and its time zone. */
const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})? ([A-Za-z][A-Za-z0-9_+/-]*)$/;
/** What a clock shows, without its zone. */
const ZONELESS = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?$/;
/** A date, a time and an offset: of these, RFC 3339 says what is wrong. */
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\S*(?:Z|[+-]\d{2}:\d{2})$/i;
const WORDS = ['tomorrow', 'yesterday'];
const ACCEPTED =
  'a time such as +12h, -2d, tomorrow, 2026-11-21T01:02:03Z or 2026-11-22T06:00 Europe/Berlin';

/**
 * The time that a person names, in milliseconds since the epoch: as RFC 3339; `+12h` or `-2d` from now; `tomorrow` or `yesterday` at the time
 * of now; or `2026-11-22T06:00 Europe/Berlin`, where a time that occurs twice is the first one (T700).
 */
export function askedTime(text: string, now: number): Result<number, TimeError> {
  const ms = relative(text, now) ?? local(text);
  if (ms !== undefined && isWritable(ms)) return { ok: true, value: ms };
  const parsed = parseTime(text);
  if (parsed.ok || WITH_OFFSET.test(text)) return parsed;
  const found = { position: 0, expected: ACCEPTED, suggestion: nearestTime(text) };
  return { ok: false, error: parseError('bad-time', text, found) };
}

/** The accepted time that a person probably means; undefined if none is near (D428). */
function nearestTime(text: string): string | undefined {
  if (parseDuration(text).ok) return `+${text} or -${text}`;
  const [, date, minutes, seconds = ':00'] = ZONELESS.exec(text) ?? [];
  const utc = `${date}T${minutes}${seconds}Z`;
  if (date !== undefined) return parseTime(utc).ok ? utc : undefined;
  const zone = LOCAL.exec(text)?.[4];
  if (zone === undefined) return nearestWord(text, WORDS);
  const near = nearestWord(zone, Intl.supportedValuesOf('timeZone'));
  const meant = near && text.slice(0, -zone.length) + near;
  return meant !== undefined && local(meant) !== undefined ? meant : undefined;
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
