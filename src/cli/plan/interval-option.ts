import { describeDuration, parseDuration } from '../../core/text/duration.ts';
import type { Result } from '../../core/index.ts';
import {
  DEFAULT_INTERVAL_MS,
  LEAST_INTERVAL_MS,
  LONGEST_INTERVAL_MS,
} from '../../poller/schedule.ts';
import { usage, type Problem } from '../../base/problem.ts';

/** Parses `--interval`, the time between two rounds: five seconds to a day, a minute by default. */
export function readInterval(text: string | undefined): Result<number, Problem> {
  if (text === undefined) return { ok: true, value: DEFAULT_INTERVAL_MS };
  const ms = parseDuration(text);
  if (ms.ok && ms.value >= LEAST_INTERVAL_MS && ms.value <= LONGEST_INTERVAL_MS) return ms;
  const [least, longest] = [LEAST_INTERVAL_MS, LONGEST_INTERVAL_MS].map(describeDuration);
  const bound =
    ms.ok && ms.value < LEAST_INTERVAL_MS
      ? `short, expected ${least} or more`
      : `long, expected ${longest} or less`;
  const message = ms.ok ? `${text} is too ${bound}` : ms.error;
  return { ok: false, error: usage(`--interval: ${message}`) };
}
