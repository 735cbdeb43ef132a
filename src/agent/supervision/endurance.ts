import { RECOVERED_MS } from './back-off.ts';
import type { Command, Serving } from './lifecycle.ts';

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
