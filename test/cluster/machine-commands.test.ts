import { expect, it } from 'vitest';
import { twoFronts } from './support/two-fronts.ts';

const COMMANDS = '/machines/rover-7/commands';
const MACHINE = 'machine:rover-7';
const QUESTION = `${COMMANDS}?nonce=q3J-AAAAAAAAAAAAAAAAAA`;

function hold(name: string): object {
  return { key: name.padEnd(22, '_'), kind: 'hold', for: '12h', reason: 'trade fair' };
}

it('[D397] a command that one front is given is served by all, and its outcome is known to all', async () => {
  const { one, two, level } = await twoFronts();
  expect(await one.as('commands', 'PUT', COMMANDS, hold('a'))).toMatchObject({
    status: 200,
    json: { machine: 'rover-7', number: 1, asks: false },
  });
  await level();
  const { json } = await two.as(MACHINE, 'GET', QUESTION);
  expect(json).toMatchObject({ commands: [{ number: 1, kind: 'hold', reason: 'trade fair' }] });
  const outcomes = [{ number: 1, result: 'done', detail: 'it is held' }];
  const told = await two.as(MACHINE, 'PUT', `${COMMANDS}/outcomes`, { outcomes });
  expect(told).toEqual({ status: 200, json: { machine: 'rover-7' } });
  await level();
  for (const front of [one, two]) {
    const list = await front.as('commands', 'GET', COMMANDS);
    expect(list.json).toMatchObject({
      commands: [{ number: 1, state: 'done', detail: 'it is held' }],
    });
  }
  for (const front of [one, two]) {
    // It has asked for commands at the other front.
    const given = await front.as('commands', 'PUT', COMMANDS, hold('b'));
    expect(given.json).toEqual(expect.not.objectContaining({ asks: false }));
  }
});

it('[D398] two fronts that are asked at once give each number once, and the same key one command', async () => {
  const { one, two, level } = await twoFronts();
  const given = await Promise.all(
    [one, two, one, two].map(async (front, place) => {
      const key = ['a', 'b', 'c', 'a'][place] ?? '';
      return Object((await front.as('commands', 'PUT', COMMANDS, hold(key))).json)
        .number as unknown;
    }),
  );
  expect(given[3]).toBe(given[0]);
  expect(new Set(given.slice(0, 3))).toEqual(new Set([1, 2, 3]));
  await level();
  const [first, second] = [one, two].map(({ catalogue }) =>
    catalogue.configs.commands.all('rover-7').map(({ number, author, at }) => [number, author, at]),
  );
  expect(first).toEqual(second);
});
