import * as v from 'valibot';
import type { Blackout } from '../../core/decision/timing-policies.ts';
import { MOST_BLACKOUTS } from '../../core/machine/document-limits.ts';
import { quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { badValue, type Fault } from '../fault.ts';
import { momentAt } from '../local-time.ts';
import { fields, listOf, parsedText, reading, type Schema } from './fields.ts';
import { timeZone } from './maintenance-window.ts';

const DAY = 86_400_000;
/** `2026-12-24` to the same day of the next year is a mistake in the year. */
const MOST_DAYS = 366;
/** So that the facts of a module with the most blackouts are within their limit (T263). */
const LONGEST_REASON = 80;

const ONLY_DATE = /^2\d{3}-\d{2}-\d{2}$/;
const DATE_TIME = /^2\d{3}-\d{2}-\d{2}(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** A local time, as the milliseconds from the epoch to the same time in UTC. */
interface LocalTime {
  readonly text: string;
  readonly begin: number;
  /** When it is over: a day is over at the end of the day, a time at once. */
  readonly end: number;
}

const day = localTime(ONLY_DATE, 'a day such as 2026-12-24');
const dayOrTime = localTime(
  DATE_TIME,
  'a day such as 2026-12-24, or a time such as 2026-12-24T18:00',
);

function localTime(form: RegExp, expected: string): Schema<LocalTime> {
  return parsedText(
    expected,
    (text) => {
      if (!form.test(text)) {
        const message = `${quote(text)} is not ${expected}, in the years 2000 to 2999`;
        return { ok: false, error: badValue(message) };
      }
      const begin = Date.parse(`${text.length === 10 ? `${text}T00:00` : text}Z`);
      // Date.parse reads 30 February as 2 March.
      if (!(begin >= 0 && new Date(begin).toISOString().startsWith(text))) {
        return { ok: false, error: badValue(`${quote(text)} is not a day of the calendar`) };
      }
      const end = text.length === 10 ? begin + DAY : begin;
      return { ok: true, value: { text, begin, end } };
    },
    { pattern: form.source },
  );
}

export const reason: Schema<string> = parsedText(
  'a reason',
  (text) => {
    const { length } = Array.from(text);
    if (length > 0 && length <= LONGEST_REASON) return { ok: true, value: text };
    const message = `found ${length} characters, expected 1 to ${LONGEST_REASON}`;
    return { ok: false, error: { kind: 'out-of-range', message } };
  },
  { minLength: 1, maxLength: LONGEST_REASON },
);

const written = fields({
  day: v.optional(day),
  from: v.optional(dayOrTime),
  to: v.optional(dayOrTime),
  time_zone: timeZone,
  reason: v.optional(reason),
});

/** A day, or the time from one day or time to another, in which nothing restarts (D74). */
const blackout: Schema<Blackout> = v.pipe(
  written,
  reading((entry): Result<Blackout, Fault> => {
    const span = spanOf(entry);
    if (!span.ok) return span;
    const { begin, end } = span.value;
    return {
      ok: true,
      value: {
        from: momentAt(begin, entry.time_zone, 'first'),
        until: momentAt(end, entry.time_zone, 'last'),
        timeZone: entry.time_zone,
        ...(entry.reason === undefined ? {} : { reason: entry.reason }),
      },
    };
  }),
);

/** The begin and the end in local time, where a day that the zone skipped is as long as any other. */
function spanOf(entry: v.InferOutput<typeof written>): Result<Omit<LocalTime, 'text'>, Fault> {
  const { from, to } = entry;
  const found = (['day', 'from', 'to'] as const).filter((name) => entry[name]).join(' and ');
  if (entry.day && found === 'day') return { ok: true, value: entry.day };
  if (entry.day || !from || !to) {
    const message = `found ${found || 'neither'}, expected either day, or from and to`;
    return { ok: false, error: badValue(message) };
  }
  const span = { begin: from.begin, end: to.end };
  if (span.end <= span.begin) {
    const message = `found an end at ${to.text}, expected one after the begin at ${from.text}`;
    return { ok: false, error: badValue(message) };
  }
  if (span.end - span.begin <= MOST_DAYS * DAY) return { ok: true, value: span };
  const days = Math.ceil((span.end - span.begin) / DAY);
  const message = `found ${days} days from begin to end, expected at most ${MOST_DAYS}`;
  return { ok: false, error: { kind: 'out-of-range', message } };
}

export const blackouts: Schema<readonly Blackout[]> = v.pipe(
  listOf(blackout, 'a list of blackouts'),
  v.metadata({ maxItems: MOST_BLACKOUTS }),
  reading((all): Result<readonly Blackout[], Fault> => {
    if (all.length <= MOST_BLACKOUTS) return { ok: true, value: all };
    const message = `found ${all.length} blackouts, expected at most ${MOST_BLACKOUTS} in a list`;
    return { ok: false, error: { kind: 'out-of-range', message } };
  }),
);
