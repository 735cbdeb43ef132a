import * as v from 'valibot';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { quote } from '../../core/text/quote.ts';
import { cronStart } from './cron-start.ts';
import { badValue } from '../fault.ts';
import { fields, parsedText, type Schema } from './fields.ts';
import { DURATION_PATTERN, readDuration } from './duration.ts';

let timeZones: ReadonlyMap<string, string> | undefined;

/** Time zones by their lowercase names. Computed on first use, because the list takes 2 ms. */
function knownTimeZones(): ReadonlyMap<string, string> {
  timeZones ??= new Map(
    Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone]),
  );
  return timeZones;
}

export const timeZone: Schema<string> = parsedText(
  'a time zone such as Europe/Berlin',
  (text) => {
    if (isTimeZone(text)) return { ok: true, value: text };
    const message = `${quote(text)} is not a time zone, expected a name such as Europe/Berlin or UTC`;
    return { ok: false, error: badValue(message) };
  },
  { minLength: 1 },
  (text) => nearestWord(text, knownTimeZones().values()),
);

/** How long a window stays open: more than zero milliseconds. */
const openDuration: Schema<number> = parsedText(
  'a duration such as 2h',
  (text) => {
    const ms = readDuration(text);
    if (!ms.ok || ms.value > 0) return ms;
    const message = `found ${quote(text)}, expected a duration longer than zero`;
    return { ok: false, error: { kind: 'out-of-range', message } };
  },
  { pattern: DURATION_PATTERN, not: { pattern: '^0+[smhd]$' } },
);

/** A recurring time, and how long the window stays open. */
export interface MaintenanceWindow {
  /** When it opens, in cron syntax: minute, hour, day of the month, month, day of the week. */
  readonly start: string;
  readonly durationMs: number;
  /** The IANA name of a time zone. */
  readonly timeZone: string;
}

export const maintenanceWindow: Schema<MaintenanceWindow> = v.pipe(
  fields({ start: cronStart, duration: openDuration, time_zone: timeZone }),
  v.transform((window) => ({
    start: window.start,
    durationMs: window.duration,
    timeZone: window.time_zone,
  })),
);

function isTimeZone(text: string): boolean {
  // Intl accepts UTC, but does not list it.
  if (text === 'UTC' || knownTimeZones().has(text.toLowerCase())) return true;
  try {
    // Intl also accepts aliases, which its list omits.
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
