import { describe, expect, it } from 'vitest';
import { ATTACKS } from './attacks.ts';
import { DEFAULT_ATTACKS, playAttacks } from './play.ts';

const SEEDS = Array.from(
  { length: Math.ceil(ATTACKS.length / DEFAULT_ATTACKS) },
  (_, seed) => seed,
);

describe('[T580] [T581] [T582] [T583] [T585] [T587] [T588] [T589] [T597] [T599] [D196] [D197] a machine with a pin withstands each attack', () => {
  const happened = new Set<string>();

  it.each(SEEDS)('of seed %d', async (seed) => {
    const outcome = await playAttacks({ seed });
    expect(outcome.violation).toBeUndefined();
    for (const { of, holds, what } of outcome.happened) happened.add(`${of}, ${holds}: ${what}`);
  });

  it('and each one reaches it, or its registry', () => {
    const all = ATTACKS.map(({ of, holds, what }) => `${of}, ${holds}: ${what}`);
    expect(all.filter((one) => !happened.has(one))).toEqual([]);
  });
});
