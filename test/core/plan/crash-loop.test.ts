import { expect, it } from 'vitest';
import { crashLoopEnd } from '../../../src/core/plan/crash-loop.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

/** The end of the crash loop after starts at `minutesAgo`, in minutes from now. */
function endAfter(...minutesAgo: readonly number[]): number | undefined {
  const end = crashLoopEnd(
    minutesAgo.map((ago) => NOW - ago * MINUTE),
    NOW,
  );
  return end === undefined ? undefined : (end - NOW) / MINUTE;
}

it.each<[string, number[], number | undefined]>([
  ['no start', [], undefined],
  ['four starts', [3, 2, 1, 0], undefined],
  ['five starts', [4, 3, 2, 1, 0], 6],
  ['five starts in any order', [0, 4, 2, 1, 3], 6],
  ['six starts', [9, 4, 3, 2, 1, 0], 6],
  ['five starts, the first one ten minutes ago', [10, 3, 2, 1, 0], undefined],
  ['five starts up to four minutes in the future', [-4, -3, -2, -1, 0], 10],
  ['five starts far in the future', [-90, -80, -70, -60, -50], undefined],
])('after %s, at %j minutes ago, the crash loop ends in %s minutes [T57]', (_, ago, end) => {
  expect(endAfter(...ago)).toBe(end);
});
