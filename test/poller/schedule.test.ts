import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstPhase,
  untilNextRound,
  untilRedelivery,
  untilRoundAfter,
  type EndedRound,
} from '../../src/poller/schedule.ts';
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
    // A long interval needs no back-off.
    [6 * MINUTE, 3, 0.5, 6 * MINUTE],
    [60 * MINUTE, 9, 1, 66 * MINUTE],
  ])(
    'for an interval of %i ms after %i failures, with the random number %d, is %i ms',
    (interval, failures, random, ms) => {
      expect(untilNextRound(interval, failures, random)).toBeCloseTo(ms, 5);
    },
  );

  it('is at least five seconds, and at most ten minutes for intervals up to five minutes', () => {
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

  it('is spread over a range as long as its minimum after a failure', () => {
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

describe('the first round of machines that start together', () => {
  it.each([
    [0, 0],
    [0.25, 15_000],
    [0.9, 54_000],
  ])('is anywhere in the interval: with the random number %d after %i ms', (random, ms) => {
    expect(firstPhase(MINUTE, random)).toBe(ms);
  });

  it.each([
    // Before the second rounds of other machines begin, and once nearly all have begun.
    [0.9 + 1e-9, 54_000],
    [0.975, MINUTE],
    [1, 66_000],
  ])(
    'becomes less likely as second rounds begin: with the random number %d after %i ms',
    (random, ms) => {
      expect(firstPhase(MINUTE, random)).toBeCloseTo(ms, 2);
    },
  );
});

describe('[T66] the time between a round and the next', () => {
  it.each<[string, Partial<EndedRound>, number]>([
    ['is the interval', {}, 60_000],
    ['grows after a failure', { failures: 1 }, 90_000],
    ['is a Retry-After that is longer', { retryAfterMs: 120_000 }, 120_000],
    ['is rounded up to whole intervals for a Retry-After', { retryAfterMs: 60_001 }, 120_000],
    ['ignores a Retry-After that is shorter', { retryAfterMs: 59_999 }, 60_000],
    ['ends at the planned round if a change triggered this one', { earlyMs: 7000 }, 7000],
    ['ends at the round after the planned one if that is too early', { earlyMs: 499 }, 60_499],
    ['ends at the round after the planned one if that has passed', { earlyMs: -1 }, 59_999],
    [
      'ends at the first planned round after the Retry-After of a partly busy registry',
      { retryAfterMs: 8000, earlyMs: 7000 },
      67_000,
    ],
    [
      'grows after a failure even if a change triggered the round',
      { failures: 2, earlyMs: 7000 },
      180_000,
    ],
    [
      'is whole intervals after the planned round for a Retry-After that is longer',
      { failures: 1, retryAfterMs: 100_000, earlyMs: 7000 },
      127_000,
    ],
  ])('%s', (_, round, ms) => {
    const quiet = { failures: 0, retryAfterMs: 0, earlyMs: undefined, isAwaited: false };
    expect(untilRoundAfter({ ...quiet, ...round }, MINUTE, 0.5)).toBe(ms);
  });

  it.each([
    [1, 0, 5000],
    [1, 1, 10_000],
    [2, 0, 10_000],
    [3, 0.5, 30_000],
    [9, 0, 5 * MINUTE],
  ])(
    '[D73] while a new machine waits for its first answer, after %i failures, with the random number %d, is %i ms',
    (failures, random, ms) => {
      for (const interval of [MINUTE, 60 * MINUTE]) {
        const round = { failures, retryAfterMs: 0, earlyMs: 7000, isAwaited: true };
        expect(untilRoundAfter(round, interval, random)).toBe(ms);
      }
    },
  );

  it('[D73] is a Retry-After also while a new machine waits for its first answer', () => {
    const round = { failures: 1, retryAfterMs: 2 * MINUTE, earlyMs: undefined, isAwaited: true };
    expect(untilRoundAfter(round, MINUTE, 0.5)).toBe(2 * MINUTE);
  });

  it.each([
    [0, 186_000],
    [0.25, 183_000],
    [0.75, 183_000],
    [1, 186_000],
  ])(
    'is not shorter than a Retry-After of three minutes: with the random number %d it is %i ms',
    (random, ms) => {
      const round = { failures: 1, retryAfterMs: 3 * MINUTE, earlyMs: undefined, isAwaited: false };
      expect(untilRoundAfter(round, MINUTE, random)).toBeCloseTo(ms, 5);
    },
  );

  it('is at least the Retry-After, and at most an interval longer', () => {
    const cases = fc.record({
      failures: fc.nat(9),
      retryAfterMs: fc.nat(60 * MINUTE),
      earlyMs: fc.option(fc.integer({ min: -11 * MINUTE, max: MINUTE * 1.1 }), { nil: undefined }),
      isAwaited: fc.constant(false),
    });
    fc.assert(
      fc.property(cases, chance(), (round, random) => {
        const ms = untilRoundAfter(round, MINUTE, random);
        const least = Math.max(round.retryAfterMs, 500);
        expect(ms).toBeGreaterThanOrEqual(least);
        const most = Math.max(untilNextRound(MINUTE, round.failures, 1), least + 1.1 * MINUTE);
        expect(ms).toBeLessThanOrEqual(most + 1e-6);
      }),
      RUNS,
    );
  });
});

it.each([
  [1, 0, 30_000],
  [1, 1, MINUTE],
  [2, 0, MINUTE],
  [5, 0, 5 * MINUTE],
  [500, 1, 10 * MINUTE],
])(
  'an action that the machine failed %i times is delivered again, with the random number %d after %i ms',
  (failures, random, ms) => {
    expect(untilRedelivery(failures, random)).toBe(ms);
  },
);

function chance(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, noNaN: true });
}
