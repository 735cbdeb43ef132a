import { expect, it } from 'vitest';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { twoFronts } from './support/two-fronts.ts';

const COMMANDS = '/machines/rover-7/commands';
const MACHINE = 'machine:rover-7';
const QUESTION = `${COMMANDS}?nonce=q3J-AAAAAAAAAAAAAAAAAA`;

function hold(name: string): object {
  return { key: name.padEnd(22, '_'), kind: 'hold', for: '12h', reason: 'trade fair' };
}

it('[D397] a command that one front is given is served by all, and its outcome is known to all', async () => {
  const { stream, one, two, level } = await twoFronts();
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
  const { sequence } = (await stream.read(await stream.last())) ?? {};
  await one.as(MACHINE, 'PUT', `${COMMANDS}/outcomes`, { outcomes });
  await one.as('commands', 'PUT', COMMANDS, hold('a'));
  expect(await stream.last()).toBe(sequence);
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

it('[D397] a command to a group at one front has the same numbers at all', async () => {
  const { one, two, level } = await twoFronts();
  for (const machine of ['rover-7', 'rover-8', 'rover-9']) {
    const scope = `machine:${machine}`;
    const state = { ...reportedState(1), group: 'canary' };
    const report = machineReport([], { state });
    await one.as(scope, 'POST', `/machines/${machine}/reports`, report);
    const question = `/machines/${machine}/commands?nonce=q3J-AAAAAAAAAAAAAAAAAA`;
    if (machine !== 'rover-9') await one.as(scope, 'GET', question);
  }
  await expect.poll(() => one.catalogue.configs.commands.hasAsked('rover-8')).toBe(true);
  await two.as('commands', 'PUT', '/machines/rover-8/commands', hold('a'));
  const { json } = await one.as('commands', 'PUT', '/groups/canary/commands', hold('b'));
  expect(json).toMatchObject({
    given: [
      { machine: 'rover-7', number: 1 },
      { machine: 'rover-8', number: 2 },
    ],
    refused: [{ machine: 'rover-9' }],
  });
  await level();
  const given = two.catalogue.configs.commands.ofAll(['rover-7', 'rover-8'], 10);
  expect(given.map(({ machine, number }) => `${machine} ${number}`)).toEqual([
    'rover-7 1',
    'rover-8 2',
    'rover-8 1',
  ]);
});

it('[D401] what many machines say at once at a front is few events', async () => {
  const { stream, one, two, level } = await twoFronts();
  const before = await stream.last();
  const machines = Array.from({ length: 40 }, (_none, place) => `rover-${place}`);
  const answers = await Promise.all(
    machines.map(
      async (machine) =>
        await one.as(`machine:${machine}`, 'PUT', `/machines/${machine}/config/answer`, {
          applied: 1,
          refused: null,
        }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await stream.last()) - before).toBeLessThan(10);
  await level();
  expect(machines.map((machine) => two.catalogue.configs.answer(machine)?.applied)).toEqual(
    machines.map(() => 1),
  );
});
