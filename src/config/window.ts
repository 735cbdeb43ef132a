import { Cron } from 'croner';
import type { Window } from '../core/decision/timing-policies.ts';
import type { MaintenanceWindow } from './fields/maintenance-window.ts';

/** The number of consecutive openings to follow: more than a day of 5-minute ones. Each takes 0.1 ms. */
const MOST_OPENINGS = 300;

/**
 * A window that is open while any window of a policy is open; undefined if there are none. A window stays open
 * for its duration in elapsed time, even across a daylight-saving change. A window that starts in the hour that
 * the change skips opens right after the skipped hour. A window that starts in the repeated hour opens once.
 */
export function compileWindows(maintenance: readonly MaintenanceWindow[]): Window | undefined {
  if (maintenance.length === 0) return undefined;
  const windows = maintenance.map(opener);
  const openings = (at: number): Opening[] => windows.flatMap((window) => window.openAt(at) ?? []);
  return {
    windows: maintenance,
    openSince: memoized((at) => least(openings(at).map(({ start }) => start))),
    nextOpening: memoized((at) => least(windows.flatMap((window) => window.next(at) ?? []))),
    closing: memoized((at) => {
      let end: number | undefined;
      let open = openings(at);
      for (let count = 0; open.length > 0; count++) {
        if (count === MOST_OPENINGS) return undefined;
        end = Math.max(...open.map((opening) => opening.end));
        open = openings(end);
      }
      return end;
    }),
  };
}

/** More times than one plan of a machine queries. */
const MOST_CACHED = 1000;

/** Memoizes `answer`: the modules of a machine query the same times repeatedly. */
function memoized(answer: (at: number) => number | undefined): typeof answer {
  const answers = new Map<number, { readonly value: number | undefined }>();
  return (at) => {
    const known = answers.get(at) ?? { value: answer(at) };
    if (answers.size >= MOST_CACHED) answers.clear();
    answers.set(at, known);
    return known.value;
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
      // croner excludes the given time, but a window that starts at `at` is open.
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
