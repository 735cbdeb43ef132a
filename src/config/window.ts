import { Cron } from 'croner';
import type { Window } from '../core/decision/timing-policies.ts';
import type { MaintenanceWindow } from '../core/machine/update-policy.ts';

/** So many openings without a gap are followed: more than a day of five minutes each. One takes 0.1 ms. */
const MOST_OPENINGS = 300;

/**
 * The windows of a policy as one, which is open while any of them is; undefined without any. A window stays
 * open for its duration as time passes, whatever the clocks on the wall do meanwhile. One that begins in an
 * hour that daylight saving skips begins when the hour has been skipped, and one that begins in an hour that
 * comes twice begins once.
 *
 * @example
 * ```ts
 * import { windowOf } from 'modreg/config';
 *
 * const nights = { start: '0 2 * * *', durationMs: 7_200_000, timeZone: 'Europe/Oslo' };
 * console.log(windowOf([nights])?.nextOpening(Date.parse('2026-03-01T12:00:00Z'))); // 1772413200000
 * ```
 */
export function windowOf(maintenance: readonly MaintenanceWindow[]): Window | undefined {
  if (maintenance.length === 0) return undefined;
  const windows = maintenance.map(opener);
  const openings = (at: number): Opening[] => windows.flatMap((window) => window.openAt(at) ?? []);
  return {
    openSince: (at) => least(openings(at).map(({ start }) => start)),
    nextOpening: (at) => least(windows.flatMap((window) => window.next(at) ?? [])),
    closing(at) {
      let end: number | undefined;
      let open = openings(at);
      for (let count = 0; open.length > 0; count++) {
        if (count === MOST_OPENINGS) return undefined;
        end = Math.max(...open.map((opening) => opening.end));
        open = openings(end);
      }
      return end;
    },
  };
}

interface Opening {
  readonly start: number;
  readonly end: number;
}

interface Opener {
  openAt(at: number): Opening | undefined;
  next(at: number): number | undefined;
}

function opener({ start: pattern, durationMs, timeZone }: MaintenanceWindow): Opener {
  const cron = new Cron(pattern, { timezone: timeZone, paused: true, mode: '5-part' });
  return {
    openAt(at) {
      // A start at `at` itself counts; croner looks before it.
      const start = cron.previousRuns(1, new Date(at + 1))[0]?.getTime();
      if (start === undefined || at >= start + durationMs) return undefined;
      return { start, end: start + durationMs };
    },
    next: (at) => cron.nextRun(new Date(at))?.getTime(),
  };
}

function least(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}
