import type { Result } from '../../core/index.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { badValue, type Fault } from '../fault.ts';
import { parsedText, type Schema } from './fields.ts';

export const DURATION_PATTERN = '^\\d{1,9}[smhd]$';

/** Parses `5m`, `12h` or `7d`, up to ten years, to milliseconds. */
export function readDuration(text: string): Result<number, Fault> {
  const ms = parseDuration(text);
  return ms.ok ? ms : { ok: false, error: badValue(ms.error) };
}

/** A duration, in milliseconds. */
export const duration: Schema<number> = parsedText('a duration such as 5m', readDuration, {
  pattern: DURATION_PATTERN,
});
