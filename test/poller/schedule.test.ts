import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstPhase, untilNextRound, untilRedelivery } from '../../src/poller/schedule.ts';
import { RUNS } from '../support/runs.ts';

const MINUTE = 60_000;

describe('the time until the next round', () => {
  it.each([
    // [interval, failures, random, expected]
    [MINUTE, 0, 0, 54_000],
    [MINUTE, 0, 0.5, 60_000],
    [MINUTE, 0, 1, 66_000],
    [5000, 0, 0, 5000],
    [5000, 0, 1, 5500],
    [MINUTE, 1, 0, MINUTE],
    [MINUTE, 1, 1, 2 * MINUTE],
    [MINUTE, 2, 0, 2 * MINUTE],
    [MINUTE, 3, 0.5, 6 * MINUTE],
    [MINUTE, 4, 0, 5 * MINUTE],
    [MINUTE, 4, 1, 10 * MINUTE],
    [MINUTE, 1000, 0, 5 * MINUTE],
    [MINUTE, 1000, 1, 10 * MINUTE],
    [5 * MINUTE, 1, 1, 10 * MINUTE],
    // Whoever asks seldom anyway asks no more often, and no more seldom.
    [6 * MINUTE, 3, 0.5, 6 * MINUTE],
    [60 * MINUTE, 9, 1, 66 * MINUTE],
  ])(
    'of an interval of %i ms after %i failures at %d is %i ms',
    (interval, failures, random, ms) => {
      expect(untilNextRound(interval, failures, random)).toBeCloseTo(ms, 5);
    },
  );

  it('is never under five seconds, nor above ten minutes where the interval is not', () => {
    const cases = fc.tuple(fc.integer({ min: 5000, max: 5 * MINUTE }), fc.nat(2000), chance());
    fc.assert(
      fc.property(cases, ([interval, failures, random]) => {
        const ms = untilNextRound(interval, failures, random);
        expect(ms).toBeGreaterThanOrEqual(Math.max(5000, interval * 0.9));
        expect(ms).toBeLessThanOrEqual(10 * MINUTE);
      }),
      RUNS,
    );
  });

  it('is spread over as much as it is long, from the first failure on', () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 2000 }), chance(), chance());
    fc.assert(
      fc.property(cases, ([failures, a, b]) => {
        const least = untilNextRound(MINUTE, failures, 0);
        const [one, other] = [a, b].map((random) => untilNextRound(MINUTE, failures, random));
        expect(Number(other) - Number(one)).toBeCloseTo(least * (b - a), 3);
      }),
      RUNS,
    );
  });
});

it.each([
  [0, 0],
  [0.25, 15_000],
  [1, MINUTE],
])(
  'the first round of machines that start together is anywhere in the interval: at %d after %i ms',
  (random, ms) => {
    expect(firstPhase(MINUTE, random)).toBe(ms);
  },
);

it.each([
  [1, 0, 30_000],
  [1, 1, MINUTE],
  [2, 0, MINUTE],
  [5, 0, 5 * MINUTE],
  [500, 1, 10 * MINUTE],
])(
  'an action that the machine failed %i times comes again, at %d after %i ms',
  (failures, random, ms) => {
    expect(untilRedelivery(failures, random)).toBe(ms);
  },
);

function chance(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, noNaN: true });
}
