import { parseDuration } from '../../core/text/duration.ts';
import { quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/index.ts';
import { usage, type Problem } from '../../base/problem.ts';

const LONGEST_MS = 90 * 86_400_000;

/** How far back outcomes are shown, in milliseconds: they are kept for 90 days. */
export function outcomeTerm(since: string): Result<number, Problem> {
  const duration = parseDuration(since);
  if (duration.ok && duration.value >= 1000 && duration.value <= LONGEST_MS) return duration;
  const message = `--since: found ${quote(since)}, expected a duration from 1s to 90d`;
  return { ok: false, error: usage(message) };
}
