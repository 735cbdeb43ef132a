import { expect, it } from 'vitest';
import { playMonth } from './play.ts';

it.each([[0], [1]])(
  '[T840] a rover of seed %i runs what its site serves and does what it says, and its site knows, in a month with kills and outages',
  async (seed) => {
    const { violation, events } = await playMonth({ seed, happenings: 6 });
    expect([violation, events > 300]).toEqual([undefined, true]);
  },
);
