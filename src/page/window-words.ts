import { excerpt } from '../core/text/quote.ts';
import { DAYS } from './edit-form.ts';

/** A maintenance window of a policy: `02:00 every day for 2h, Europe/Berlin`. */
export function windowWords(entry: object): string {
  const { start, duration, time_zone: zone } = textsIn(entry);
  const [, minute = '', hour = '', days = ''] = /^(\d+) (\d+) \* \* (\S+)$/.exec(start ?? '') ?? [];
  const on = DAYS.get(days);
  const begin =
    on === undefined ? start : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')} ${on}`;
  return excerpt(`${begin} for ${duration}, ${zone}`);
}

/** A blackout of a policy: `2026-12-24 to 2026-12-26, UTC: holidays`. */
export function blackoutWords(entry: object): string {
  const { day, from, to, time_zone: zone, reason } = textsIn(entry);
  const span = day ?? `${from} to ${to}`;
  return excerpt(`${span}, ${zone}${reason === undefined ? '' : `: ${reason}`}`);
}

function textsIn(entry: object): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, String(value)]));
}
