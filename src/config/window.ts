import { Cron } from 'croner';
import type { Window } from '../core/decision/timing-policies.ts';
import type { MaintenanceWindow } from './fields/maintenance-window.ts';

/** The number of consecutive openings to follow: more than a day of 5-minute ones. Each takes 0.1 ms. */
const MOST_OPENINGS = 300;
/** In all windows of a policy: with 100 windows, following 300 openings took over a second. */
const MOST_EVALUATED = 3000;

/**
 * A window that is open while any window of a policy is open; undefined if there are none. A window stays open
 * for its duration in elapsed time, even across a daylight-saving change. A window that starts in the hour that
 * the change skips opens right after the skipped hour. A window that starts in the repeated hour opens once.
 * `compile` may return what it compiled before.
 */
export function compileWindows(
  maintenance: readonly MaintenanceWindow[],
  compile: (window: MaintenanceWindow) => CompiledWindow = compileWindow,
): Window | undefined {
  if (maintenance.length === 0) return undefined;
  const windows = maintenance.map(compile);
  const most = Math.min(MOST_OPENINGS, MOST_EVALUATED / windows.length);
  const openings = (at: number): Opening[] => windows.flatMap((window) => window.openAt(at) ?? []);
  return {
    windows: maintenance,
    openSince: memoized((at) => least(openings(at).map(({ start }) => start))),
    nextOpening: memoized((at) => least(windows.flatMap((window) => window.next(at) ?? []))),
    closing: memoized((at) => {
      let end: number | undefined;
      let open = openings(at);
      for (let count = 0; open.length > 0; count++) {
        if (count >= most) return undefined;
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
function memoized<T>(answer: (at: number) => T): (at: number) => T {
  const answers = new Map<number, { readonly value: T }>();
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

/** One window of a policy. */
export interface CompiledWindow {
  /** The opening that lasts at a time; undefined if it is closed then. */
  readonly openAt: (at: number) => Opening | undefined;
  /** When it opens next; undefined if it never does. */
  readonly next: (at: number) => number | undefined;
}

/** After so many years at most, a date is on the same day of the week again: 29 February takes longest, across 2100. */
const LONGEST_CYCLE = 40;
/** The years in which the openings of a window are looked for, and for which what was found is used again. */
const SEARCHED_YEARS = 50;
const REUSED_YEARS = SEARCHED_YEARS - LONGEST_CYCLE;

/** The openings of a window in the years around one. */
interface Searched {
  readonly year: number;
  /** Undefined if there are none: the window never opens. */
  readonly cron: Cron | undefined;
}

/** Evaluates one window. A bad pattern or time zone throws when it is first used. */
export function compileWindow({ start, durationMs, timeZone }: MaintenanceWindow): CompiledWindow {
  let known: Searched | undefined;
  const around = (at: number): Cron | undefined => {
    const year = new Date(at).getUTCFullYear();
    if (!(year >= 1 && year <= 9999)) return undefined;
    if (!known || Math.abs(known.year - year) > REUSED_YEARS) {
      known = { year, cron: openingsAround(year, start, timeZone) };
    }
    return known.cron;
  };
  return {
    openAt: memoized((at) => {
      // croner excludes the given time, but a window that starts at `at` is open.
      const [begun] = around(at)?.previousRuns(1, new Date(at + 1)) ?? [];
      if (begun === undefined || at >= begun.getTime() + durationMs) return undefined;
      return { start: begun.getTime(), end: begun.getTime() + durationMs };
    }),
    next: memoized((at) => around(at)?.nextRun(new Date(at))?.getTime()),
  };
}

/**
 * A window that never opens is found once: without bounds, croner looks for it through 400 years, or 1,000 if it would only open in
 * hours that daylight saving skips, each time that it is asked (T267).
 */
function openingsAround(year: number, start: string, timeZone: string): Cron | undefined {
  const first = Math.max(1, year - SEARCHED_YEARS);
  const last = Math.min(9999, year + SEARCHED_YEARS);
  const pattern = `0 ${start} ${first}-${last}`;
  const cron = new Cron(pattern, { timezone: timeZone, paused: true, mode: '7-part' });
  // Not from the first year: before 1980, few zones had a daylight saving that skips hours.
  return cron.nextRun(new Date(Date.UTC(year - REUSED_YEARS, 0, 1))) ? cron : undefined;
}

function least(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}
