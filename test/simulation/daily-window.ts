import type { Window } from '../../src/core/index.ts';
import type { DesiredTerms } from './desired.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

interface Daily {
  /** Milliseconds after midnight UTC. */
  readonly startMs: number;
  readonly durationMs: number;
}

/**
 * Windows that open once each day, in UTC: `30 2 * * *`. A few divisions replace croner, which takes tenths of a
 * millisecond.
 */
export function dailyWindow(windows: DesiredTerms['windows']): Window | undefined {
  if (windows.length === 0) return undefined;
  const daily = windows.map(({ minute, minutes }): Daily => {
    return { startMs: minute * MINUTE, durationMs: minutes * MINUTE };
  });
  const openAt = (at: number): number[] =>
    daily.flatMap((one) => {
      const start = lastStart(one, at);
      return at < start + one.durationMs ? [start] : [];
    });
  return {
    openSince: (at) => openAt(at).toSorted((a, b) => b - a)[0],
    nextOpening: (at) => Math.min(...daily.map((one) => lastStart(one, at) + DAY)),
    closing(at) {
      let end = at;
      for (let later = closingOnce(daily, end); later > end; later = closingOnce(daily, end)) {
        end = later;
        // The windows overlap without a gap.
        if (end - at > 2 * DAY) return undefined;
      }
      return end > at ? end : undefined;
    },
  };
}

function lastStart({ startMs }: Daily, at: number): number {
  return Math.floor((at - startMs) / DAY) * DAY + startMs;
}

/** When the last window that is open at `at` closes; `at` if none is open. */
function closingOnce(daily: readonly Daily[], at: number): number {
  return daily.reduce((end, one) => {
    const close = lastStart(one, at) + one.durationMs;
    return close > at ? Math.max(end, close) : end;
  }, at);
}
