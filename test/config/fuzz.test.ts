import { expect, it } from 'vitest';
import { fuzz } from '../support/fuzz.ts';

it('[T3][T4][T6][T7][T10][T19] gives 5,000 mutated documents a verdict each', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  expect(fuzz(5000, seed)).toEqual([]);
});
