import { describeDuration } from '../core/text/duration.ts';
import type { LoggedRound } from '../store/decision-log.ts';

/** When the process that polls reads what it could not read: `next attempt in 40 s` (D419); undefined if nothing failed, or it is not known. */
export function attemptWords(
  { trouble, nextAt = 0 }: LoggedRound,
  now: number,
): string | undefined {
  if (trouble === undefined || nextAt <= now) return undefined;
  return `next attempt in ${describeDuration(Math.max(nextAt - now, 1000))}`;
}
