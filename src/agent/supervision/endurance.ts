import { NO_CRASHES, RECOVERED_MS } from './back-off.ts';
import type { Command, Lifecycle, Serving, Surroundings } from './lifecycle.ts';

/** A version that was up for so long is proven. */
export const PROVEN_MS = 3_600_000;

/** The wait until a version that has been up for `upMs` has endured what says something about it. */
export function untilEndured(
  { run, failed }: Pick<Serving, 'run' | 'failed'>,
  { upMs, probationMs }: { readonly upMs: number; readonly probationMs: number },
): Command[] {
  const ends = [
    ...(run.isUndecided ? [Math.max(1, probationMs)] : []),
    ...(run.hasFailed || failed ? [RECOVERED_MS] : []),
    PROVEN_MS,
  ];
  // A clock may count fractions of a millisecond, and a wait has none.
  const next = ends.filter((end) => end > upMs);
  return next.length === 0 ? [] : [{ command: 'wait', ms: Math.ceil(Math.min(...next) - upMs) }];
}

/** What is in use, without the crashes before it was up for ten minutes: it may be asked as soon as it is up again (T440). */
export function recovered<S extends Extract<Lifecycle, { readonly state: 'running' }>>(
  serving: S,
  { now }: Pick<Surroundings, 'now'>,
): S {
  return now - serving.since < RECOVERED_MS ? serving : { ...serving, crashes: NO_CRASHES };
}
