import { describeDuration } from '../core/text/duration.ts';
import type { ReportedClock } from '../server/fleet/reported-clock.ts';

export { isWrongClock } from '../server/fleet/reported-clock.ts';

/** A report takes a while, and nothing depends on less. */
const AGREES_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** How far the clock of a machine is from that of its site at `now`: `3 min 20 s behind the site` (D460). */
export function clockWords({ aheadMs, isSynchronized }: ReportedClock, now: number): string {
  const said = isSynchronized === false ? '; the machine says that it is not synchronized' : '';
  return `${apartWords(aheadMs, now)}${said}`;
}

function apartWords(aheadMs: number, now: number): string {
  if (aheadMs <= -YEAR_MS) return `in ${new Date(now + aheadMs).getUTCFullYear()}: it is not set`;
  if (aheadMs <= -AGREES_MS) return `${describeDuration(-aheadMs)} behind the site`;
  return aheadMs < AGREES_MS
    ? 'agrees with the site'
    : `${describeDuration(aheadMs)} ahead of the site`;
}

/** The same, only where the clocks do not agree. */
export function wrongClockWords(
  { aheadMs }: Pick<ReportedClock, 'aheadMs'>,
  now: number,
): string | undefined {
  return Math.abs(aheadMs) < AGREES_MS ? undefined : apartWords(aheadMs, now);
}
