import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { FieldChange } from '../../registry/acceptance.ts';

/** What a field was and what it is now: `no longer yanked (it was: stops the motor)`. */
export function describeChange(change: FieldChange): string {
  const { field } = change;
  if (field === 'artifacts') return 'other artifacts';
  if (field === 'published_at') {
    return `published_at ${timeText(change.before)} → ${timeText(change.now)}`;
  }
  const { before, now } = change;
  if (now === undefined)
    return `no longer ${field}${before ? ` (it was: ${excerpt(before)})` : ''}`;
  if (before === undefined) return `now ${field}${now ? `: ${excerpt(now)}` : ''}`;
  return `${field} for another reason: ${reasonText(before)} → ${reasonText(now)}`;
}

function timeText(time: number | undefined): string {
  return time === undefined ? 'none' : formatTime(time);
}

function reasonText(reason: string): string {
  return reason === '' ? 'none' : excerpt(reason);
}
