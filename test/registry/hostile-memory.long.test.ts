import { expect, it } from 'vitest';
import { readHostile } from '../support/hostile.ts';
import { FLOODS } from '../../mocks/hostile-answers.ts';

/** The faults that need the most memory; `npm run bench -- network` measures all of them. */
const WORST = [
  '[T36] a gzip bomb',
  '[T37] the maximum number of strings',
  '[T37] an endless body in chunks',
  '[T37] an endless body without a length',
  '[T37] a header without end',
];
const MOST_MIB = 32;

it('[T36] [T37] no response needs more than 32 MiB above idle, in a heap of 64 MB', async () => {
  const worst = Object.entries(FLOODS).filter(([name]) => WORST.includes(name));
  const rows = await readHostile(Object.fromEntries(worst), 1, 5);
  expect(rows.map(({ fault }) => fault)).toEqual(WORST);
  expect(rows.flatMap(({ outcomes }) => outcomes)).toEqual([
    'list-too-large',
    'not-a-registry',
    'list-too-large',
    'list-too-large',
    'list-too-large',
  ]);
  expect(rows.filter(({ mib }) => mib > MOST_MIB)).toEqual([]);
});
