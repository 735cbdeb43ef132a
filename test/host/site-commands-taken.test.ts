import { expect, it } from 'vitest';
import { keepState, keptState, noneServed } from '../../src/host/served/served-state.ts';
import { commanded } from './support/commanded.ts';

const DONE = 'done: acme:lidar is held';

it('[T704] a process that is to end carries out no further command, and the next one does', async () => {
  const machine = await commanded();
  machine.give();
  machine.give();
  const ending = new AbortController();
  const carried: number[] = [];
  await machine.round({
    signal: ending.signal,
    carryOut: async ({ number }) => {
      carried.push(number);
      ending.abort();
      return await Promise.resolve({ result: 'done', detail: 'acme:lidar is held' });
    },
  });
  expect([carried, machine.outcomes()]).toEqual([[1], ['waiting', 'waiting']]);
  await machine.round();
  expect([machine.carried, machine.outcomes()]).toEqual([[2], [DONE, DONE]]);
});

it('[T705] a number below those that the machine has taken changes nothing of these', async () => {
  const machine = await commanded();
  const state = noneServed('https://site.example', 'rover-7');
  keepState(machine.home, { ...state, commands: { taken: 3, outcomes: [] } });
  machine.give();
  await machine.round();
  expect(keptState(machine.home)?.commands?.taken).toBe(3);
  machine.give();
  machine.give();
  await machine.round();
  expect(machine.carried).toEqual([]);
});

/** Answers about another machine. */
async function ofAnother(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...request);
  const { status, headers } = answer;
  const body = (await answer.text()).replace('"machine":"rover-7"', '"machine":"rover-8"');
  return new Response(body, { status, headers });
}

it('[D295] an answer that is about another machine gives no commands', async () => {
  const machine = await commanded();
  machine.give();
  const message = /its answer about commands is one to another question$/;
  await expect(machine.round({ fetch: ofAnother })).rejects.toThrow(message);
  expect(machine.carried).toEqual([]);
});
