import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keepState, keptState, noneServed } from '../../src/host/served/served-state.ts';
import { commanded } from './support/commanded.ts';
import { again, pinned, pinnedTo, refused, RESTART } from './support/signed-command.ts';

const MINUTE = 60_000;
const TAKEN = refused('the machine has taken this command before');

/** What the machine says of a round. */
function ending(said: readonly string[]): string | undefined {
  return said.at(-1)?.replace(/^warn command \d+ of the site \(.*?\) is /, '');
}

it('[D395] [T734] a site that gives a signed command again under another number does not have it carried out again', async () => {
  const machine = await pinned();
  await machine.round(again(1));
  expect(ending(await machine.round(again(2)))).toBe(TAKEN);
  const killed = machine.round({
    ...again(3, { ...RESTART, id: 'q3J-DDDDDDDDDDDDDDDDDD' }),
    carryOut: async () => await Promise.reject(new Error('killed')),
  });
  await expect(killed).rejects.toThrow('killed');
  const repeated = await machine.round(again(4, { ...RESTART, id: 'q3J-DDDDDDDDDDDDDDDDDD' }));
  expect([ending(repeated), machine.carried]).toEqual([TAKEN, [1]]);
});

it('[T791] a machine that lost its state takes no signed command that was given before', async () => {
  const machine = await pinned();
  await machine.round(again(1));
  rmSync(`${machine.home}/machine.db.served`);
  machine.now += MINUTE;
  await machine.round(again(2));
  const before =
    'it was given at 2026-11-29T12:01:00Z, and the machine remembers signed commands since 2026-11-29T12:02:00Z';
  expect(ending(await machine.round(again(3)))).toBe(refused(before));
  expect(machine.carried).toEqual([1]);
  const later = { ...RESTART, id: 'q3J-EEEEEEEEEEEEEEEEEE', given: '2026-11-29T12:02:01Z' };
  await machine.round(again(4, later));
  expect(machine.carried).toEqual([1, 4]);
});

it('[D395] a machine whose pin was removed for a time takes no signed command that was given before', async () => {
  const machine = await pinned();
  machine.now += MINUTE;
  await machine.round();
  await machine.round(pinnedTo());
  await machine.round(again(1));
  expect(machine.carried).toEqual([]);
});

it('[D395] [T736] a command that has ended is dropped, and none that ends by then is taken when the clock is set back', async () => {
  const machine = await pinned();
  await machine.round(again(1));
  machine.now = Date.parse('2026-11-29T14:00:00Z');
  const later = {
    ...RESTART,
    id: 'q3J-FFFFFFFFFFFFFFFFFF',
    given: '2026-11-29T14:00:00Z',
    ends: '2026-11-29T15:00:00Z',
  };
  await machine.round(again(2, later));
  expect(keptState(machine.home)?.commands?.signed).toEqual({
    since: Date.parse('2026-11-29T12:00:00Z'),
    dropped: Date.parse(RESTART.ends),
    taken: [{ id: later.id, ends: Date.parse(later.ends) }],
  });
  machine.now = Date.parse('2026-11-29T12:30:00Z');
  const dropped =
    'the machine no longer remembers signed commands that end by 2026-11-29T13:01:00Z';
  expect(ending(await machine.round(again(3)))).toBe(refused(dropped));
  expect(machine.carried).toEqual([1, 2]);
});

it('[D395] a machine remembers 1,000 signed commands, and of more those that end last', async () => {
  const machine = await pinned();
  const since = Date.parse('2026-11-29T12:00:00Z');
  const ends = Date.parse('2026-11-29T12:30:00Z');
  const taken = Array.from({ length: 1000 }, (_, place) => ({
    id: `${place}`,
    ends: ends + place,
  }));
  const state = noneServed('https://site.example', 'rover-7');
  const commands = { taken: 0, outcomes: [], signed: { since, dropped: 0, taken } };
  keepState(machine.home, { ...state, commands });
  await machine.round(again(1));
  const { signed } = keptState(machine.home)?.commands ?? {};
  expect([signed?.taken.length, signed?.taken[0]?.id, signed?.dropped]).toEqual([
    1000,
    RESTART.id,
    ends,
  ]);
});

it('[T790] a machine that began to remember by a clock that was days ahead begins again', async () => {
  const machine = await commanded();
  machine.now += 25 * 60 * MINUTE;
  await machine.round(pinnedTo());
  machine.now -= 25 * 60 * MINUTE - 1;
  await machine.round(pinnedTo());
  machine.now += MINUTE;
  await machine.round(again(1));
  expect(machine.carried).toEqual([1]);
});

it('[T789] a machine begins to remember when its clock is right', async () => {
  const machine = await commanded();
  await machine.round({ ...pinnedTo(), reading: () => ({ now: 0, clock: undefined }) });
  expect(keptState(machine.home)?.commands).toEqual({ taken: 0, outcomes: [] });
  await machine.round(pinnedTo());
  expect(keptState(machine.home)?.commands?.signed).toEqual({
    since: machine.now,
    dropped: 0,
    taken: [],
  });
});
