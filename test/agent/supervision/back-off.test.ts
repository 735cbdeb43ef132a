import { expect, it } from 'vitest';
import { isUnsteady, NO_CRASHES, withCrash } from '../../../src/agent/supervision/back-off.ts';

const MINUTE = 60_000;

it.each<[crashes: number, upMs: number, isUnsteady: boolean]>([
  [0, 0, false],
  [1, 0, false],
  [2, 0, true],
  [2, 10 * MINUTE - 1, true],
  [2, 10 * MINUTE, false],
  [7, 10 * MINUTE - 1, true],
  [7, 24 * 60 * MINUTE, false],
])(
  '[T365] [D77] after %i crashes, and up for %i ms since, it may crash again at once: %s',
  (count, upMs, expected) => {
    let crashes = NO_CRASHES;
    for (let at = 0; at < count; at++) crashes = withCrash(crashes, at, 0);
    expect(isUnsteady(crashes, upMs)).toBe(expected);
  },
);
