import { expect, it } from 'vitest';
import { playStorms } from '../storms/storms.ts';

it('[T84] a registry that is killed while clients change it loses and duplicates nothing', async () => {
  // `npm run storms` plays more.
  const { storms, counts, findings } = await playStorms(2, 1);
  expect(findings).toEqual([]);
  expect(storms).toBe(2);
  expect(counts.published + counts.found + counts.absent).toBeGreaterThan(0);
});
