import { expect, it } from 'vitest';
import { wilson } from '../../../src/core/rollout/wilson.ts';

it.each<[number, number, number, readonly [number, number]]>([
  // With the z of 95 %, as in published tables of the interval.
  [0, 10, 1.96, [0, 0.2775]],
  [5, 10, 1.96, [0.2366, 0.7634]],
  [10, 10, 1.96, [0.7225, 1]],
  [1, 100, 1.96, [0.0018, 0.0545]],
  [3, 3, 3.09, [0.2391, 1]],
  [5, 41, 3.09, [0.0342, 0.3525]],
  [0, 0, 3.09, [0, 1]],
])('%d of %d with z %d: %j', (count, trials, z, [lower, upper]) => {
  const bounds = wilson(count, trials, z);
  expect(bounds.lower).toBeCloseTo(lower, 4);
  expect(bounds.upper).toBeCloseTo(upper, 4);
});
