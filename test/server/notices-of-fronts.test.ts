import { describe, expect, it } from 'vitest';
import { receiver, toldOf, toldRegistry } from '../support/told-registry.ts';

const MINUTE = 60_000;

describe('[D214] the front of a cluster whose turn it is not', () => {
  it('sends nothing, and what began lately once it is its turn', async () => {
    const hook = await receiver();
    const told = toldRegistry([hook.address]);
    told.isTurn = false;
    await told.turn();
    told.yank('1.2.9', 'x');
    await told.turn();
    told.pass(4 * MINUTE);
    await told.turn();
    expect(toldOf(hook)).toEqual([]);
    told.isTurn = true;
    await told.turn();
    expect(toldOf(hook).map((one) => Object(one)[0])).toEqual(['release-yanked']);
  });

  it('leaves to another one what began earlier', async () => {
    const hook = await receiver();
    const told = toldRegistry([hook.address]);
    told.isTurn = false;
    await told.turn();
    told.yank('1.2.9', 'x');
    await told.turn();
    told.pass(5 * MINUTE + 1);
    told.isTurn = true;
    await told.turn();
    expect([toldOf(hook), told.notices().waiting()]).toEqual([[], 0]);
  });
});
