import { expect, it } from 'vitest';
import { HOSTILE, readHostile } from '../support/hostile.ts';

it('[T36] [T37] no answer takes 32 MB more than idle, in a heap of 64 MB', async () => {
  const rows = await readHostile(HOSTILE, 1);
  expect(rows.length).toBeGreaterThan(30);
  const kinds = new Set(rows.flatMap(({ outcomes }) => outcomes));
  expect([...kinds].toSorted()).toEqual([
    ...['list-too-large', 'not-a-registry', 'registry-timeout', 'registry-unreachable'],
  ]);
  expect(rows.filter(({ mib }) => mib > 32)).toEqual([]);
});
