import { describe, expect, it } from 'vitest';
import { actionLoop } from './action-loop.ts';
import { explore, type Model } from './explore.ts';
import { LIFECYCLE } from './lifecycle.ts';
import { machineStore } from './machine-store.ts';

/** A number that is doubled or counted up, and starts again after 9. */
function numbers(isBroken: (n: number) => boolean): Model<number> {
  return {
    initial: 1,
    moves: () => ['count', 'double'],
    play: (n, move) => {
      const state = (move === 'count' ? n + 1 : 2 * n) % 10;
      return { state, broken: isBroken(state) ? [`it is ${state}`] : [] };
    },
    textOf: String,
  };
}

function brokenAtSix(n: number): string | undefined {
  return n === 6 ? 'it stays 6' : undefined;
}

const NONE = { isWhole: false, violation: undefined };

describe('an exploration', () => {
  it.each([
    [1, { ...NONE, states: 2, moves: 2, depth: 1 }],
    [2, { ...NONE, states: 4, moves: 4, depth: 2 }],
    [100, { ...NONE, states: 10, moves: 20, depth: 5, isWhole: true }],
  ])('of at most %i moves meets each state once', async (depth, expected) => {
    expect(
      await explore(
        numbers(() => false),
        { depth },
      ),
    ).toEqual(expected);
  });

  it.each([
    [8, ['count', 'double', 'double']],
    [9, ['count', 'double', 'double', 'count']],
    [7, ['count', 'count', 'double', 'count']],
  ])('finds a shortest path to %i', async (wrong, path) => {
    const { violation } = await explore(
      numbers((n) => n === wrong),
      { depth: 100 },
    );
    expect(violation).toEqual({ broken: `it is ${wrong}`, path });
  });

  it('finds what stays broken once nothing more happens', async () => {
    const model = { ...numbers(() => false), calm: brokenAtSix };
    const { violation } = await explore(model, { depth: 100 });
    expect(violation).toEqual({ broken: 'it stays 6', path: ['count', 'count', 'double'] });
  });

  it('ends when it is told to, and says how far it was', async () => {
    let asked = 0;
    const isOver = (): boolean => ++asked > 3;
    const explored = await explore(
      numbers(() => false),
      { depth: 100, isOver },
    );
    expect(explored).toEqual({ ...NONE, states: 5, moves: 6, depth: 2 });
  });
});

it('[A2] every order of eight events of a module breaks nothing', async () => {
  const explored = await explore(LIFECYCLE, { depth: 8 });
  expect(explored).toMatchObject({ ...NONE, depth: 8 });
  expect(explored.states).toBeGreaterThan(1000);
});

it('[I8] every order of two events of the action loop breaks nothing', async () => {
  const explored = await explore(actionLoop(machineStore(), 1), { depth: 2 });
  expect(explored).toMatchObject({ ...NONE, depth: 2 });
  expect(explored.states).toBeGreaterThan(50);
});
