import { expect, it } from 'vitest';
import { readHostile } from '../support/hostile.ts';
import { FLOODS } from '../support/wire.ts';

const PATIENCE_MS = 60_000;

it(
  '[T36] [T37] no answer takes 32 MB more than idle, in a heap of 64 MB',
  { timeout: PATIENCE_MS },
  async () => {
    const rows = await readHostile(FLOODS, 1);
    const kinds = new Set(rows.flatMap(({ outcomes }) => outcomes));
    expect([...kinds].toSorted()).toEqual([...['list-too-large', 'not-a-registry']]);
    expect(rows.filter(({ mib }) => mib > 32)).toEqual([]);
  },
);
