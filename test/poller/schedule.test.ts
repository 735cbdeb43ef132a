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

describe('the first round of machines that start together', () => {
  it.each([
    [0, 0],
    [0.25, 15_000],
    [0.9, 54_000],
  ])('is anywhere in the interval: at %d after %i ms', (random, ms) => {
    expect(firstPhase(MINUTE, random)).toBe(ms);
  });

  it.each([
    // Without the second rounds of others, and with nearly all of them.
    [0.9 + 1e-9, 54_000],
    [0.975, MINUTE],
    [1, 66_000],
  ])('is the less likely the more second ones there are: at %d after %i ms', (random, ms) => {
    expect(firstPhase(MINUTE, random)).toBeCloseTo(ms, 2);
  });
});

describe('[T66] the time between a round and the next', () => {
  it.each<[string, Partial<EndedRound>, number]>([
    ['of a quiet registry is that of the interval', {}, 60_000],
    ['after a failure grows', { failures: 1 }, 90_000],
    ['is as long as a registry asks for, where that is longer', { retryAfterMs: 120_000 }, 120_000],
    ['is whole intervals, where one asks for less', { retryAfterMs: 60_001 }, 120_000],
    ['has nothing of what one asks for that is shorter', { retryAfterMs: 59_999 }, 60_000],
    ['is up to the planned round, where a change had this one sooner', { earlyMs: 7000 }, 7000],
    ['is up to the one after it, where that is at once', { earlyMs: 499 }, 60_499],
    ['is up to the one after it, where that is past', { earlyMs: -1 }, 59_999],
    [
      'is up to the first planned one that a registry does not mind, of which a part is busy',
      { retryAfterMs: 8000, earlyMs: 7000 },
      67_000,
    ],
    ['after a failure grows, woken or not', { failures: 2, earlyMs: 7000 }, 180_000],
    [
      'is whole intervals from the planned round where a registry asks for more',
      { failures: 1, retryAfterMs: 100_000, earlyMs: 7000 },
      127_000,
    ],
  ])('%s', (_, round, ms) => {
    const quiet = { failures: 0, retryAfterMs: 0, earlyMs: undefined };
    expect(untilRoundAfter({ ...quiet, ...round }, MINUTE, 0.5)).toBe(ms);
  });

  it.each([
    [0, 186_000],
    [0.25, 183_000],
    [0.75, 183_000],
    [1, 186_000],
  ])('is not shorter than a registry asks for: three minutes are at %d %i ms', (random, ms) => {
    const round = { failures: 1, retryAfterMs: 3 * MINUTE, earlyMs: undefined };
    expect(untilRoundAfter(round, MINUTE, random)).toBeCloseTo(ms, 5);
  });

  it('is long enough for the registry, and an interval longer at most', () => {
    const cases = fc.record({
      failures: fc.nat(9),
      retryAfterMs: fc.nat(60 * MINUTE),
      earlyMs: fc.option(fc.integer({ min: -11 * MINUTE, max: MINUTE * 1.1 }), { nil: undefined }),
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
  'an action that the machine failed %i times comes again, at %d after %i ms',
  (failures, random, ms) => {
    expect(untilRedelivery(failures, random)).toBe(ms);
  },
);

function chance(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, noNaN: true });
}
