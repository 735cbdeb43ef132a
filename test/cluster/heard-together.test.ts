import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { heardTogether } from '../../src/cluster/heard-together.ts';
import type { CatalogueChange } from '../../src/server/catalogue/catalogue-change.ts';
import type { WriteChange } from '../../src/server/catalogue/write-change.ts';

/** What a machine says in about so many characters. */
function words(characters: number): CatalogueChange<'heard'> {
  const outcome = { number: 1, result: 'done', detail: 'x'.repeat(characters) } as const;
  const word = { about: 'commands', machine: 'rover-7', at: 0, outcomes: [outcome] } as const;
  return { kind: 'heard', words: [word] };
}

it.each([
  [
    [100, 200_000, 200_000, 200_000],
    [1, 2, 1],
  ],
  [
    [100, 600_000, 100],
    [1, 1, 1],
  ],
])('[D401] what machines say in %j characters becomes events of %j', async (sizes, expected) => {
  const events: number[] = [];
  const write = async (change: CatalogueChange): Promise<string> => {
    if (change.kind === 'heard') events.push(change.words.length);
    // What cannot be written ends what waits.
    if (events.length > sizes.length) throw new Error('too many events');
    await setImmediate();
    return 'done';
  };
  const hear = heardTogether(write as WriteChange);
  const heard = await Promise.all(sizes.map(async (size) => await hear(words(size))));
  expect([events, new Set(heard)]).toEqual([expected, new Set(['done'])]);
});
