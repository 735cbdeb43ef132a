import { expect, it } from 'vitest';
import { ATTACKS } from './attacks.ts';
import { DEFAULT_ATTACKS, playAttacks } from './play.ts';

it('[T580] [T581] [T582] [T583] [T585] [T587] [T588] [T589] [D196] [D197] a machine with a pin withstands each attack', async () => {
  const seeds = Math.ceil(ATTACKS.length / DEFAULT_ATTACKS);
  const happened = new Set<string>();
  for (let seed = 0; seed < seeds; seed++) {
    const outcome = await playAttacks({ seed });
    expect(outcome.violation, `seed ${seed}`).toBeUndefined();
    for (const { of, holds, what } of outcome.happened) happened.add(`${of}, ${holds}: ${what}`);
  }
  const all = ATTACKS.map(({ of, holds, what }) => `${of}, ${holds}: ${what}`);
  expect(all.filter((one) => !happened.has(one))).toEqual([]);
});
