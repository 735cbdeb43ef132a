import { describe, expect, it } from 'vitest';
import { rolloutAfter } from '../support/rollout-after.ts';
import { rollOut } from './rollout-fleet.ts';
import { fleetOf, inGroups } from './rollout-machines.ts';

describe('rollouts over a simulated fleet', () => {
  const fleet = fleetOf(100_000, 1);
  const small = fleetOf(10_000, 1);

  it.each([
    ['that fails on every machine', {}],
    ['after which no machine is heard again', { deadly: 1 }],
  ])('D53 a release %s is installed on at most 0.1 % of 100,000 machines', (_title, how) => {
    for (const seed of [1, 2, 3]) {
      const rollout = rollOut(fleet, { salt: `bad ${seed}`, failureRate: 1, ...how }, seed);
      expect(rollout).toMatchObject({ ending: 'halted', percent: 0.1 });
      expect(rollout.installed).toBeLessThanOrEqual(100);
    }
  });

  it('D53 no rollout halts of 60 whose release fails on one machine in 200', () => {
    const endings = Array.from({ length: 60 }, (_, seed) => {
      return rollOut(small, { salt: `good ${seed}`, failureRate: 0.005 }, seed).ending;
    });
    expect(new Set(endings)).toEqual(new Set(['completed']));
  });

  it('D52 takes every step, each an hour at least', () => {
    const { events } = rollOut(small, { salt: 'good', failureRate: 0 }, 1);
    const steps = events.map((event) => ('percent' in event ? event.percent : event.kind));
    expect(steps).toEqual([0.1, 1, 5, 20, 50, 100, 'completed']);
    const times = events.map(({ at }) => at);
    const lengths = times.slice(1).map((at, place) => at - (times[place] ?? 0));
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(3_600_000);
  });

  it.each([1, 2, 3, 5, 12, 29, 30, 50])(
    '[D157] a release that fails on every machine is installed on one of %d',
    (count) => {
      const few = fleetOf(count, 1);
      for (const [seed, deadly] of [0, 0, 0, 1, 1, 1].entries()) {
        const release = { salt: `bad ${seed}`, failureRate: 1, deadly };
        const { ending, installed } = rollOut(few, release, seed);
        expect(ending).not.toBe('completed');
        expect(installed).toBeLessThanOrEqual(1);
      }
    },
  );

  it('[D157] at most 10 of 1,000 rollouts halt whose release fails on one machine in 200', () => {
    const endings = Array.from({ length: 1000 }, (_, seed) => {
      const few = fleetOf(1 + (seed % 50), seed);
      return rollOut(few, { salt: `good ${seed}`, failureRate: 0.005 }, seed).ending;
    });
    expect(endings.filter((ending) => ending === 'halted').length).toBeLessThanOrEqual(10);
    expect(endings).toContain('completed');
  });

  it('D54 played again, has the same events, which lead to the same state', () => {
    const release = { salt: 'bad', failureRate: 0.05 };
    const rollout = rollOut(small, release, 1);
    expect(rollOut(small, release, 1)).toEqual(rollout);
    expect(rolloutAfter(rollout.events)).toMatchObject({ status: 'halted' });
  });

  const first = ['canary', 'lab'];
  const grouped = inGroups(small, { groups: first, size: 40 }, 1);

  it('D107 the groups come one after another, each for its soak, and then the percentages', () => {
    const { ending, events } = rollOut(grouped, { salt: 'good', failureRate: 0, first }, 1);
    const stages = events.map((event) => {
      if (event.kind === 'started') return event.first;
      return event.kind === 'raised' ? [event.percent, event.groups] : event.kind;
    });
    expect([ending, stages]).toEqual([
      'completed',
      [first, [0, 2], [0.1, 2], [1, 2], [5, 2], [20, 2], [50, 2], [100, 2], 'completed'],
    ]);
    const times = events.map(({ at }) => at);
    const lengths = times.slice(1).map((at, place) => at - (times[place] ?? 0));
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(3_600_000);
  });

  it.each([
    ['fails on every machine', {}],
    ['silences every machine', { deadly: 1 }],
  ])('D107 a release that %s is installed on the first group alone', (_title, how) => {
    for (const seed of [1, 2, 3]) {
      const release = { salt: `bad ${seed}`, failureRate: 1, first, ...how };
      const rollout = rollOut(grouped, release, seed);
      expect(rollout).toMatchObject({ ending: 'halted', percent: 0 });
      expect(rollout.installed).toBeLessThanOrEqual(40);
    }
  });
});
