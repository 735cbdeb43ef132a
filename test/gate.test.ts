import { describe, expect, test } from 'vitest';
import { keyOf, regressions, type Machine } from '../benchmarks/gate/baseline.ts';

/** The benchmark gate compares instruction counts: `npm run bench:gate`. */
describe('the benchmark gate', () => {
  const before = { plan: 10_000_000, check: 1000 };

  test.each([
    ['equal counts', { plan: 10_000_000, check: 1000 }, []],
    ['fewer instructions', { plan: 5_000_000, check: 1 }, []],
    ['3 % more', { plan: 10_300_000, check: 1030 }, []],
    [
      'more than that in one kernel',
      { plan: 10_300_001, check: 1000 },
      ['plan: 10,000,000 instructions before, 10,300,001 now, +3.0 % (limit +3 %)'],
    ],
    [
      'more in both',
      { plan: 20_000_000, check: 1100 },
      [
        'plan: 10,000,000 instructions before, 20,000,000 now, +100.0 % (limit +3 %)',
        'check: 1,000 instructions before, 1,100 now, +10.0 % (limit +3 %)',
      ],
    ],
    ['a kernel without a count before', { feed: 5 }, ['feed: the baseline does not have it']],
    ['only some kernels', { check: 1000 }, []],
  ])('%s', (_, now, expected) => {
    expect(regressions(before, now)).toEqual(expected);
  });

  const machine: Machine = { node: 'v24.21.0', valgrind: '3.19', libc: '2.36', cpu: 'x64 avx2' };
  test.each<Partial<Machine>>([
    { node: 'v24.22.0' },
    { valgrind: '3.24' },
    { libc: '2.41' },
    { cpu: 'x64' },
  ])('a baseline does not apply to a machine with %o', (other) => {
    expect(keyOf({ ...machine, ...other })).not.toBe(keyOf(machine));
    expect(keyOf({ ...machine })).toBe(keyOf(machine));
  });
});
