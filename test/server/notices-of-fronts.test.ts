import { describe, expect, it } from 'vitest';
import {
  receiver,
  toldOf,
  toldRegistry,
  type Receiver,
  type ToldRegistry,
} from '../support/told-registry.ts';

const MINUTE = 60_000;

/** A front that notices a yank while another one sends. */
async function afterYank(): Promise<{ hook: Receiver; told: ToldRegistry }> {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  told.isTurn = false;
  await told.turn();
  told.yank('1.2.9', 'x');
  await told.turn();
  return { hook, told };
}

describe('[D214] the front of a cluster whose turn it is not', () => {
  it('sends nothing, and what began lately once it is its turn', async () => {
    const { hook, told } = await afterYank();
    told.pass(4 * MINUTE);
    await told.turn();
    expect(toldOf(hook)).toEqual([]);
    told.isTurn = true;
    await told.turn();
    expect(toldOf(hook).map((one) => Object(one)[0])).toEqual(['release-yanked']);
  });

  it('leaves to another one what began earlier', async () => {
    const { hook, told } = await afterYank();
    told.pass(5 * MINUTE + 1);
    told.isTurn = true;
    await told.turn();
    expect([toldOf(hook), told.notices().waiting()]).toEqual([[], 0]);
  });
});
