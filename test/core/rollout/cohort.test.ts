import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cohort } from '../../../src/core/rollout/cohort.ts';
import { ROLLOUT_POLICY } from '../../../src/core/rollout/rollout-policy.ts';
import { shareFor, stepsFor } from '../../../src/core/rollout/share.ts';

describe('the cohort of a machine', () => {
  it.each([
    ['rover-7', 's1', 0.12145133898518168],
    ['rover-7', 's2', 0.40435566282020474],
    ['rover-8', 's1', 0.2273195656407907],
    ['', '', 0.43048164923648],
  ])('D49 %o with the salt %o: %d', (machineId, salt, expected) => {
    const digest = createHash('sha256').update(`${salt}\0${machineId}`).digest('hex');
    expect(Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48).toBe(expected);
    expect(cohort(machineId, salt)).toBe(expected);
  });

  it('D49 is another one in each rollout: no machine is always among the first', () => {
    const machines = Array.from({ length: 2000 }, (_, number) => `rover-${number}`);
    const salts = Array.from({ length: 100 }, (_, number) => `acme:lidar 1.${number}.0`);
    const times = machines.map((id) => salts.filter((salt) => cohort(id, salt) < 0.01).length);
    // With one salt for all, twenty machines would be among the first 100 times.
    expect(Math.max(...times)).toBeLessThanOrEqual(8);
    const all = times.reduce((sum, count) => sum + count);
    expect(Math.abs(all - 2000)).toBeLessThan(150);
  });
});

function spread(count: number): number[] {
  return Array.from({ length: count }, (_, number) => (number + 0.5) / count);
}

describe('the share of a step', () => {
  it.each<[string, number, readonly number[], number]>([
    ['is the percentage, without machines', 5, [], 0.05],
    [
      'is the percentage, if it includes enough machines',
      50,
      [...Array(29).keys(), 29].map((one) => one / 100),
      0.5,
    ],
    ['includes at least one machine', 1, [0.5, 0.25, 0.75], 0.25 + 2 ** -48],
    ['includes at least that part of the machines', 20, spread(40), 0.2],
    ['includes one more if that part is not a whole number', 21, spread(40), 0.2125 + 2 ** -48],
    ['of 100 % includes all', 100, [0.5, 1 - 2 ** -48], 1],
    ['[D156] includes no more than that part of 29 machines', 50, spread(29), 14.5 / 29 + 2 ** -48],
    ['[D156] includes one of two machines', 50, [0.1, 0.9], 0.1 + 2 ** -48],
  ])('D52 %s', (_title, percent, cohorts, expected) => {
    expect(shareFor(percent, cohorts)).toBe(expected);
  });
});

describe('the steps of a rollout', () => {
  it.each<[known: number, included: number, steps: string, counts: string]>([
    [1, 0, '100', '1'],
    [2, 0, '50, 100', '1, 2'],
    [3, 0, '33.3, 66.6, 100', '1, 2, 3'],
    [7, 0, '14.2, 28.5, 57.1, 100', '1, 2, 4, 7'],
    [16, 0, '6.2, 12.5, 25, 50, 100', '1, 2, 4, 8, 16'],
    [29, 0, '3.4, 6.8, 13.7, 27.5, 55.1, 100', '1, 2, 4, 8, 16, 29'],
    [29, 3, '13.7, 27.5, 55.1, 100', '4, 8, 16, 29'],
    [29, 29, '100', '29'],
  ])('[D156] of a small fleet of %d machines, of which %d are included', (...row) => {
    const [known, included, expected, counts] = row;
    const steps = stepsFor({ known, included }, ROLLOUT_POLICY.steps);
    const cohorts = Array.from({ length: known }, (_, place) => cohort(`rover-${place}`, 's1'));
    const including = steps.map((step) => {
      const share = shareFor(step, cohorts);
      return cohorts.filter((one) => one < share).length;
    });
    expect(steps.join(', ')).toBe(expected);
    expect(including.join(', ')).toBe(counts);
  });

  it.each([
    [0, 0, '0.1, 1, 5, 20, 50, 100'],
    [30, 0, '0.1, 1, 5, 20, 50, 100'],
    [30, 1, '5, 20, 50, 100'],
    [100, 1, '5, 20, 50, 100'],
    [101, 1, '1, 5, 20, 50, 100'],
    [1000, 300, '50, 100'],
  ])('[D156] of %d machines, of which %d are included', (known, included, expected) => {
    expect(stepsFor({ known, included }, ROLLOUT_POLICY.steps).join(', ')).toBe(expected);
  });
});
