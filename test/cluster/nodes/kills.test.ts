import { expect, it } from 'vitest';
import { playKills } from './kills.ts';

it('loses and duplicates nothing that was acknowledged, when nodes and fronts are killed', async () => {
  const { acknowledged, lost, duplicated } = await playKills(5, Math.random);
  expect({ lost, duplicated }).toEqual({ lost: [], duplicated: [] });
  expect(acknowledged).toBeGreaterThan(0);
});
