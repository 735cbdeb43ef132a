/** The day of a time in a time zone: `2026-11-22`. */
export function dayOf(ms: number, timeZone: string | undefined): string {
  return inZone(ms, timeZone).slice(0, 10);
}

/** The time of day in a time zone, to the second: `02:00:00`. */
export function timeOf(ms: number, timeZone: string | undefined): string {
  return inZone(ms, timeZone).slice(11);
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function inZone(ms: number, timeZone: string = 'UTC'): string {
  // The Swedish form of a date and time is that of ISO 8601.
  const format =
    FORMATS.get(timeZone) ??
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  FORMATS.set(timeZone, format);
  return format.format(ms);
}
