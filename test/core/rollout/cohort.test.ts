import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cohort } from '../../../src/core/rollout/cohort.ts';
import { shareFor } from '../../../src/core/rollout/share.ts';

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

describe('the share of a step', () => {
  const TWENTY = Array.from({ length: 20 }, (_, number) => (number + 0.5) / 20);
  it.each<[string, number, readonly number[], number]>([
    ['is the percentage, without machines', 5, [], 0.05],
    ['is the percentage, if it includes enough machines', 50, [0.1, 0.9], 0.5],
    ['includes at least one machine', 1, [0.5, 0.25, 0.75], 0.25 + 2 ** -48],
    ['includes at least that part of the machines', 20, TWENTY, 0.2],
    ['includes one more if that part is not a whole number', 21, TWENTY, 0.225 + 2 ** -48],
    ['of 100 % includes all', 100, [0.5, 1 - 2 ** -48], 1],
  ])('D52 %s', (_title, percent, cohorts, expected) => {
    expect(shareFor(percent, cohorts)).toBe(expected);
  });
});
