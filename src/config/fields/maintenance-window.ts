import * as v from 'valibot';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { quote } from '../../core/text/quote.ts';
import { cronStart } from './cron-start.ts';
import { badValue } from '../fault.ts';
import { fields, readsText, type Schema } from './fields.ts';
import { DURATION_PATTERN, readDuration } from './duration.ts';

let timeZones: ReadonlyMap<string, string> | undefined;

/** Time zones by their lowercase. The list takes two milliseconds, and few documents have windows. */
function knownTimeZones(): ReadonlyMap<string, string> {
  timeZones ??= new Map(
    Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone]),
  );
  return timeZones;
}

const timeZone: Schema<string> = readsText(
  'a time zone as in Europe/Berlin',
  (text) => {
    if (isTimeZone(text)) return { ok: true, value: text };
    const message = `${quote(text)} is not a time zone, expected a name as in Europe/Berlin or UTC`;
    return { ok: false, error: badValue(message) };
  },
  { minLength: 1 },
  (text) => nearestWord(text, knownTimeZones().values()),
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

/** A time that comes again and again, and how long it stays open. */
export interface MaintenanceWindow {
  /** When it opens: minute, hour, day of the month, month, day of the week, as cron has them. */
  readonly start: string;
  readonly durationMs: number;
  /** An IANA name. */
  readonly timeZone: string;
}

export const maintenanceWindow: Schema<MaintenanceWindow> = v.pipe(
  fields({ start: cronStart, duration: openFor, time_zone: timeZone }),
  v.transform((window) => ({
    start: window.start,
    durationMs: window.duration,
    timeZone: window.time_zone,
  })),
);

function isTimeZone(text: string): boolean {
  if (knownTimeZones().has(text.toLowerCase())) return true;
  try {
    // Other names for one.
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
