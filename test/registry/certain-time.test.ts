import { describe, expect, it } from 'vitest';
import {
  clockedBoard,
  DAY,
  HOUR,
  START,
  type Board,
  type Knowledge,
  type Source,
} from '../support/clocked-board.ts';

/** A board whose clock is right has read a list with 1.0.0, which is a year old. */
async function board(source: Source, knowledge: Knowledge): Promise<Board> {
  const found = clockedBoard({ source, ...knowledge });
  found.publish('1.0.0', START - 365 * DAY);
  expect(await found.read()).toBe('1.0.0');
  found.pass(DAY);
  return found;
}

const SOURCES = ['https', 'loopback', 'folder', 'database'] as const;
/** How a machine without systemd, and one with it, sees a clock that is wrong, and one that is right. */
const MACHINES = [
  ['nothing says whether the clock is right', { state: 'unknown' }, { state: 'unknown' }],
  ['the clock is synchronized later', { state: 'unsynchronized' }, { state: 'synchronized' }],
] as const;
const BEHIND = [
  ['five days', -5 * DAY],
  ['60 days', -60 * DAY],
  ['in 1970', -START],
] as const;

const CASES = SOURCES.flatMap((source) =>
  MACHINES.flatMap(([machine, wrong, right]) =>
    BEHIND.map(([how, aheadMs]) => ({ source, machine, wrong, right, how, aheadMs })),
  ),
);

describe('a clock that is behind makes no release older', () => {
  it.each(CASES)(
    '[D58] [T293] $source, $machine: $how',
    async ({ source, wrong, right, aheadMs }) => {
      const one = await board(source, right);
      one.setClock(aheadMs);
      one.know(wrong);
      one.restart();
      one.pass(HOUR);
      one.publish('1.1.0');
      one.pass(HOUR);
      expect(await one.read()).not.toBe('1.1.0');
      one.pass(60_000);
      one.setClock(0);
      one.know(right);
      // Between two rounds, then in the next one, and after another restart.
      expect(one.selectAgain()).toBe('1.0.0');
      expect(await one.read()).toBe('1.0.0');
      one.restart();
      one.pass(3 * DAY - HOUR - 60_001);
      expect(await one.read()).toBe('1.0.0');
      one.pass(1);
      expect(await one.read()).toBe('1.1.0');
    },
  );

  it.each(CASES)(
    '[D58] [T294] the first list: $source, $machine: $how',
    async ({ source, wrong, right, aheadMs }) => {
      const one = clockedBoard({ source, ...wrong });
      one.setClock(aheadMs);
      one.publish('1.1.0');
      one.pass(HOUR);
      expect(await one.read()).not.toBe('1.1.0');
      one.setClock(0);
      one.know(right);
      expect(one.selectAgain()).toBe('too-young');
      expect(await one.read()).toBe('too-young');
      one.pass(3 * DAY - HOUR - 1);
      expect(await one.read()).toBe('too-young');
      one.pass(1);
      expect(await one.read()).toBe('1.1.0');
    },
  );
});

it('[D58] a confirmation by a wrong clock is no reason to believe an earlier claim', async () => {
  const one = await board('loopback', { state: 'synchronized' });
  await one.read();
  one.setClock(-START);
  one.know({ state: 'unsynchronized' });
  one.restart();
  await one.read();
  one.publish('1.1.0', START - 365 * DAY);
  await one.read();
  one.setClock(0);
  one.know({ state: 'synchronized' });
  one.pass(3 * DAY - 1);
  expect(await one.read()).toBe('1.0.0');
  one.pass(1);
  expect(await one.read()).toBe('1.1.0');
});

describe('[D58] a clock that is behind the last read, and a claim of a year ago, where nothing says whether the clock is right', () => {
  const LONG_AGO = START - 365 * DAY;

  it.each([
    ['5 seconds', -5000],
    ['an hour', -HOUR],
    ['five days', -5 * DAY],
    ['60 days', -60 * DAY],
  ])('%s behind', async (_how, aheadMs) => {
    const one = await board('loopback', { state: 'unknown' });
    await one.read();
    one.setClock(aheadMs);
    one.restart();
    one.publish('1.1.0', LONG_AGO);
    expect(await one.read()).toBe('1.0.0');
    one.setClock(0);
    expect(one.selectAgain()).toBe('1.0.0');
    expect(await one.read()).toBe('1.0.0');
    one.pass(3 * DAY - 1);
    expect(await one.read()).toBe('1.0.0');
    one.pass(1);
    expect(await one.read()).toBe('1.1.0');
  });

  it('a read by a clock that is further behind forgets nothing', async () => {
    const one = await board('loopback', { state: 'unknown' });
    await one.read();
    one.publish('1.1.0', LONG_AGO);
    one.pass(60_000);
    one.setClock(-5 * DAY);
    one.restart();
    expect(await one.read()).toBe('1.0.0');
    one.setClock(-60 * DAY);
    one.restart();
    expect(await one.read()).toBe('1.0.0');
    one.setClock(0);
    one.restart();
    expect(await one.read()).toBe('1.0.0');
  });
});

describe('where no time is certain', () => {
  it.each<[string, Source, Knowledge, string]>([
    [
      'a clock that is not synchronized',
      'loopback',
      { state: 'unsynchronized' },
      'unknown-age, unsynchronized',
    ],
    ['for a folder', 'folder', { state: 'unsynchronized' }, 'unknown-age, unsynchronized'],
    ['for a database', 'database', { state: 'unsynchronized' }, 'unknown-age, unsynchronized'],
    [
      'a clock that the policy does not trust',
      'loopback',
      { state: 'synchronized', trustClock: false },
      'unknown-age, distrusted',
    ],
    [
      'a clock that the policy trusts',
      'folder',
      { state: 'unsynchronized', trustClock: true },
      '1.0.0',
    ],
    ['a registry says over https what time it is', 'https', { state: 'unsynchronized' }, '1.0.0'],
    ['to a policy that does not trust the clock, too', 'https', { trustClock: false }, '1.0.0'],
    ['nothing says that the clock is wrong', 'folder', {}, '1.0.0'],
  ])('[D57] [T295] %s', async (_, source, knowledge, expected) => {
    const one = clockedBoard({ source, ...knowledge });
    one.publish('1.0.0', START - 365 * DAY);
    expect(await one.read()).toBe(expected);
  });

  it('[D57] what was old enough at the last certain time stays so after a boot', async () => {
    const one = await board('loopback', { state: 'synchronized' });
    one.publish('1.1.0');
    await one.read();
    one.pass(4 * DAY);
    one.setClock(-START);
    one.know({ state: 'unsynchronized' });
    one.restart();
    expect(await one.read()).toBe('1.0.0');
  });

  it('[D57] a time that a registry said passes on the monotonic clock, whatever the other one says', async () => {
    const one = clockedBoard({ source: 'https', state: 'unsynchronized' });
    one.setClock(-60 * DAY);
    one.publish('1.0.0');
    one.pass(1000);
    expect(await one.read()).toBe('too-young');
    one.setClock(500 * DAY);
    one.pass(3 * DAY - 1001);
    expect(one.selectAgain()).toBe('too-young');
    one.pass(1);
    expect(one.selectAgain()).toBe('1.0.0');
  });
});

describe('[D57] a registry that says a later time at once', () => {
  it.each([
    ['right', 0],
    ['60 days behind', -60 * DAY],
    ['in 2099', 73 * 365 * DAY],
  ])('makes no release older, with a clock that is %s', async (_clock, aheadMs) => {
    const one = clockedBoard({ source: 'https', state: 'unsynchronized' });
    one.setClock(aheadMs);
    one.publish('1.0.0');
    one.pass(1000);
    expect(await one.read()).toBe('too-young');
    one.say(3 * DAY);
    expect(await one.read()).toBe('too-young');
    // Step by step, each too small to be noticed alone.
    for (let minutes = 4; minutes <= 3 * 24 * 60; minutes += 4) {
      one.say(minutes * 60_000);
      await one.read();
    }
    expect(one.selectAgain()).toBe('too-young');
    one.pass(3 * DAY - 1001);
    expect(await one.read()).toBe('too-young');
    one.pass(1);
    expect(await one.read()).toBe('1.0.0');
  });

  it('is believed if the clock agrees: the board was suspended', async () => {
    const one = clockedBoard({ source: 'https', state: 'unsynchronized' });
    one.publish('1.0.0');
    one.pass(1000);
    expect(await one.read()).toBe('too-young');
    one.suspend(3 * DAY);
    expect(await one.read()).toBe('1.0.0');
  });

  it('and then an earlier one is believed', async () => {
    const one = clockedBoard({ source: 'https', state: 'unsynchronized' });
    one.setClock(-60 * DAY);
    one.say(3 * DAY);
    expect(await one.read()).toBe('nothing');
    one.say(0);
    one.publish('1.0.0');
    one.pass(1000);
    expect(await one.read()).toBe('too-young');
    // From the read that is certain: before, the registry was ahead.
    one.pass(3 * DAY - 1);
    expect(await one.read()).toBe('too-young');
    one.pass(1);
    expect(await one.read()).toBe('1.0.0');
  });
});

describe('a first-seen time that lies after the certain time becomes that time, once', () => {
  it.each(MACHINES)(
    '[D59] [T296] %s: a clock in 2099 holds no release for decades',
    async (_, wrong, right) => {
      const one = await board('loopback', right);
      one.setClock(73 * 365 * DAY);
      one.know(wrong);
      await one.read();
      one.publish('1.1.0');
      await one.read();
      one.setClock(0);
      one.know(right);
      one.restart();
      expect(await one.read()).toBe('1.0.0');
      // It ages from there, through reads, restarts and the loss of the list.
      one.pass(2 * DAY);
      one.restart();
      one.evict();
      expect(await one.read()).toBe('1.0.0');
      one.pass(DAY);
      one.restart();
      expect(await one.read()).toBe('1.1.0');
    },
  );

  it('[D59] a claim in the future ages from the first certain time', async () => {
    const one = await board('loopback', { state: 'synchronized' });
    one.know({ state: 'unsynchronized' });
    one.publish('1.1.0', START + 1000 * DAY);
    await one.read();
    one.pass(DAY);
    one.know({ state: 'synchronized' });
    await one.read();
    one.pass(3 * DAY - 1);
    one.restart();
    expect(await one.read()).toBe('1.0.0');
    one.pass(1);
    expect(await one.read()).toBe('1.1.0');
  });
});
