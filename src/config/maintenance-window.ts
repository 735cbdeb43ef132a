import { Cron } from 'croner';
import * as v from 'valibot';
import type { MaintenanceWindow } from '../core/update-policy.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { excerpt, quote } from '../core/quote.ts';
import { badValue, type Fault } from './fault.ts';
import { fields, readsText, type Schema } from './fields.ts';
import { DURATION_PATTERN, readDuration } from './duration.ts';

const FIVE_PARTS = /^\S+(?: +\S+){4}$/;

/** When a window opens, as cron says it. */
const start: Schema<string> = readsText(
  'a time that comes again, as in 0 2 * * *',
  (text) => {
    const complaint = cronComplaint(text);
    if (complaint === undefined) return { ok: true, value: text };
    return { ok: false, error: badValue(`${quote(text)} is not a cron time: ${complaint}`) };
  },
  { pattern: FIVE_PARTS.source },
);

const timeZone: Schema<string> = readsText(
  'a time zone as in Europe/Berlin',
  (text) => {
    if (isTimeZone(text)) return { ok: true, value: text };
    return { ok: false, error: unknownTimeZone(text) };
  },
  { minLength: 1 },
);

/** How long a window stays open: not for no time. */
const openFor: Schema<number> = readsText(
  'a duration such as 2h',
  (text) => {
    const ms = readDuration(text);
    if (!ms.ok || ms.value > 0) return ms;
    const message = `found ${quote(text)}, expected a time in which something can happen`;
    return { ok: false, error: { kind: 'out-of-range', message } };
  },
  { pattern: DURATION_PATTERN, not: { pattern: '^0+[smhd]$' } },
);

export const maintenanceWindow: Schema<MaintenanceWindow> = v.pipe(
  fields({ start, duration: openFor, time_zone: timeZone }),
  v.transform((window) => ({
    start: window.start,
    durationMs: window.duration,
    timeZone: window.time_zone,
  })),
);

function cronComplaint(text: string): string | undefined {
  const expected = 'expected minute, hour, day of the month, month, day of the week';
  // A sixth part would be seconds; "?" would be the time at which the document is read.
  if (!FIVE_PARTS.test(text) || text.includes('?')) return expected;
  try {
    const cron = new Cron(text, { paused: true, mode: '5-part', timezone: 'UTC' });
    // Any day will do to see whether it ever comes: the 30th of February does not.
    return cron.nextRun(new Date(0)) ? undefined : 'it never comes';
  } catch (error) {
    return error instanceof Error ? excerpt(error.message.replace(/^CronPattern: /, '')) : expected;
  }
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function unknownTimeZone(text: string): Fault {
  const names = Intl.supportedValuesOf('timeZone');
  return badValue(
    `${quote(text)} is not a time zone, expected a name as in Europe/Berlin or UTC`,
    text.length <= 64 ? nearestWord(text, names) : undefined,
  );
}
