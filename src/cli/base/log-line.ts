import { formatTime } from '../../core/text/rfc3339.ts';
import { jsonLine } from './answer-json.ts';

export type Level = 'info' | 'warn' | 'error';

/** A line of a log: JSON with the time in ISO 8601, the level by its name, and `fields`. */
export function logLine(
  { schema, now, level }: { readonly schema: string; readonly now: number; readonly level: Level },
  fields: object,
): string {
  return jsonLine({ schema, time: formatTime(now), level, ...fields });
}
