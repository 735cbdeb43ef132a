import type { PastDecision } from '../store/decision-history.ts';

/** Words of decisions that want no replacement. What is stuck meanwhile is still to be replaced. */
const NOTHING_WANTED: ReadonlySet<string> = new Set(['up-to-date', 'ahead', 'local', 'disabled']);

/**
 * When a replacement of the deployed version was first held, in milliseconds since the epoch; undefined if none was. A newer
 * release, another reason and an attempt that changed nothing do not begin it again.
 */
export function heldSince(history: readonly PastDecision[]): number | undefined {
  const deployed = history.at(-1)?.first.deployed;
  const start = history.findLastIndex(
    ({ first }) => first.deployed !== deployed || NOTHING_WANTED.has(first.decision),
  );
  return history.slice(start + 1).find(({ first }) => first.decision === 'hold')?.since;
}
