import { describeDuration } from './duration.ts';
import { formatTime, isTime } from './rfc3339.ts';

/** When a time is read, and the time zone of those who read it. */
export interface TimeContext {
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** The IANA name of the policy's time zone; undefined if it has none. */
  readonly timeZone: string | undefined;
}

const SECOND = 1000;

/**
 * A time for people: in UTC, to the second, with the time of day in their time zone and, if it is ahead, the time until then:
 * `2026-11-22T01:00:00Z (02:00 Europe/Berlin, in 1 h 15 min)`.
 */
export function describeTime(ms: number, { now, timeZone }: TimeContext): string {
  if (!isTime(ms)) return formatTime(ms);
  // What changes at a time ahead has changed at the second that is shown, as plan --at shows.
  const shown = SECOND * (ms > now ? Math.ceil(ms / SECOND) : Math.floor(ms / SECOND));
  const utc = formatTime(shown);
  const notes = [
    ...(timeZone === undefined ? [] : localTime(shown, timeZone)),
    ...(ms > now ? [`in ${describeDuration(ms - now)}`] : []),
  ];
  return notes.length === 0 ? utc : `${utc} (${notes.join(', ')})`;
}

const TIMES = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * `text` with each of its times described for people. Reasons contain times in UTC only: they are recorded, compared and
 * printed as JSON, and may be read at another time.
 */
export function withReadableTimes(text: string, context: TimeContext): string {
  return text.replaceAll(TIMES, (time) => describeTime(Date.parse(time), context));
}

/** `02:00 Europe/Berlin`, with the date if it is not the one in UTC; nothing if the clock there shows UTC. */
function localTime(ms: number, timeZone: string): string[] {
  const utc = formatTime(ms);
  const local = clockIn(timeZone)?.format(ms);
  if (local === undefined) return [];
  const [date = '', time = ''] = local.split(' ');
  if (!utc.startsWith(date)) return [`${local} ${timeZone}`];
  return utc.startsWith(`${date}T${time}`) ? [] : [`${time} ${timeZone}`];
}

/** Formats as `2026-11-22 02:00`. Undefined if the zone, which may be from a damaged record, is not known. */
function clockIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    // The Swedish form of a date and time is that of ISO 8601.
    return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
