import { formatTime } from '../core/text/rfc3339.ts';

/** A line of a log for a person. Each time has milliseconds, so that the columns are as wide. */
export function textLine(
  { now, level }: { readonly now: number; readonly level: 'info' | 'warn' | 'error' },
  text: string,
): string {
  const time = formatTime(now).replace(/(?<=:\d\d)Z$/, '.000Z');
  return `${time} ${level.padEnd(5)} ${text}`;
}
