import { describe, expect, it } from 'vitest';
import { openFakeBoard } from '../../src/board/index.ts';
import { analog, opened } from './support/fake-board.ts';

/** A value of the wrong type, as JavaScript callers may pass it. */
function any(value: unknown): never {
  return value as never;
}

const LARGEST = 2 ** 31 - 1;

describe('[D46] an analog reader', () => {
  it('counts its readings', async () => {
    const { board, clock } = opened({ analogs: [analog('a'), analog('b', undefined, 10)] });
    expect([1, 2, 3].map(() => board.readAnalog('a'))).toEqual([1, 2, 3]);
    await clock.pass(10_000);
    expect([board.readAnalog('a'), board.readAnalog('b')]).toEqual([4, 1]);
  });

  it.each<[string, number, number | undefined, number, number]>([
    ['the first sample, at once', 1000, 10, 0, 1],
    ['two samples', 1000, 10, 100, 1],
    ['three samples', 1000, 10, 200, 2],
    ['as many samples as the window has: 1 to 10', 1000, 10, 900, 5],
    ['only those in the window: 2 to 11', 1000, 10, 1000, 6],
    ['only those in the window: 3 to 12', 1000, 10, 1100, 7],
    ['a sample, until the next one is taken', 1000, 10, 1199, 7],
    ['a sample a second without a rate', 2000, undefined, 5000, 5],
    ['a sample a second with a rate of 0', 2000, 0, 5000, 5],
    ['the newest sample if the window is shorter than the time between two', 10, 1, 5000, 6],
    ['each reading without a window', 0, 1_000_000_000, 5000, 1],
    ['a window of weeks, a minute after the start', LARGEST, 1, 60_000, 31],
    ['a thousand million samples a second', 1, 1_000_000_000, 1000, 999_500_001],
    ['the most that a document may have', LARGEST, LARGEST, 1000, 1_073_741_824],
  ])('averages %s', async (_, ...[overMs, rate, elapsed, value]) => {
    const { board, clock } = opened({ analogs: [analog('a', overMs, rate)] });
    await clock.pass(elapsed);
    expect(board.readAnalog('a')).toBe(value);
  });

  it('averages the same however often it is read', async () => {
    const { board, clock } = opened({ analogs: [analog('a', 1000, 10)] });
    await clock.pass(900);
    expect([board.readAnalog('a'), board.readAnalog('a')]).toEqual([5, 5]);
  });
});

describe('[D46] a digital interrupt', () => {
  const BUMPER = { digitalInterrupts: [{ name: 'bumper', pin: '11' }] };

  it.each<[number, number | undefined, number, boolean]>([
    [0, undefined, 0, false],
    [999, undefined, 0, false],
    [1000, undefined, 1, true],
    [2000, undefined, 2, false],
    [86_400_000, undefined, 86_400, false],
    [5, 1, 5, true],
    [1000, 3.5, 285, true],
  ])(
    'after %i ms, with a tick every %s ms: %i ticks',
    async (elapsed, tickIntervalMs, ...expected) => {
      const options = tickIntervalMs === undefined ? {} : { tickIntervalMs };
      const { board, clock } = opened(BUMPER, options);
      await clock.pass(elapsed);
      expect([board.value('bumper'), board.getGpio('11')]).toEqual(expected);
    },
  );

  it('does not follow the wall clock', async () => {
    const { board, clock } = opened(BUMPER);
    await clock.pass(2500);
    clock.set(0);
    expect(board.value('bumper')).toBe(2);
  });

  it('is not needed to read a pin, which is low', async () => {
    const { board, clock } = opened(BUMPER);
    await clock.pass(1000);
    expect(['11', '12', '', '__proto__'].map((pin) => board.getGpio(pin))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

it('[D46] fail_new is an error at startup', () => {
  expect(openFakeBoard({ failNew: true, analogs: [], digitalInterrupts: [] })).toEqual({
    ok: false,
    error: 'the board fails at startup, because its fail_new is true',
  });
});

describe('a name that the board does not have', () => {
  const ESCAPE = String.fromCodePoint(0x1b);
  const names = ['bumper', 'b2', 'b3', 'b4', 'b5'];
  const { board } = opened({
    analogs: [analog('joystick')],
    digitalInterrupts: names.map((name) => ({ name, pin: '1' })),
  });
  const empty = opened({}).board;

  it.each<[string, () => unknown]>([
    [
      'readAnalog(): the board has no analog reader "joystik", but "joystick"; did you mean "joystick"?',
      () => board.readAnalog('joystik'),
    ],
    [
      'value(): the board has no digital interrupt "joystick", but "bumper", "b2", "b3", 2 more',
      () => board.value('joystick'),
    ],
    [
      String.raw`value(): the board has no digital interrupt "\u{1b}[2J", but none`,
      () => empty.value(`${ESCAPE}[2J`),
    ],
    [
      'value(): the board has no digital interrupt "__proto__", but none',
      () => empty.value('__proto__'),
    ],
    [
      'streamTicks(): the board has no digital interrupt "b6", but "bumper", "b2", "b3", 2 more; did you mean "b2"?',
      () => board.streamTicks(['b2', 'b6']),
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(new RangeError(message));
  });
});

const open = (tickIntervalMs: number) => () =>
  openFakeBoard({ failNew: false, analogs: [], digitalInterrupts: [] }, { tickIntervalMs });

describe('a number out of range', () => {
  const { board } = opened({});
  const interval = 'as options.tickIntervalMs, expected milliseconds from 1 or nothing';
  const capacity = 'as options.capacity, expected a whole number from 1 or nothing';

  it.each<[string, () => unknown]>([
    [`openFakeBoard(): found the number 0 ${interval}`, open(0)],
    [`openFakeBoard(): found the number Infinity ${interval}`, open(Infinity)],
    [`openFakeBoard(): found the number NaN ${interval}`, open(Number.NaN)],
    [`streamTicks(): found the number 0 ${capacity}`, () => board.streamTicks([], { capacity: 0 })],
    [
      `streamTicks(): found the number 1.5 ${capacity}`,
      () => board.streamTicks([], { capacity: 1.5 }),
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(new RangeError(message));
  });
});

describe('an argument of the wrong type', () => {
  const { board } = opened({});

  it.each<[string, () => unknown]>([
    ['readAnalog(): found the number 1 as name, expected text', () => board.readAnalog(any(1))],
    ['value(): found nothing as name, expected text', () => board.value(any(undefined))],
    ['getGpio(): found the number 11 as pin, expected text', () => board.getGpio(any(11))],
    ['streamTicks(): found "a" as names, expected an array', () => board.streamTicks(any('a'))],
    [
      'streamTicks(): found "9" as options.capacity, expected a whole number from 1 or nothing',
      () => board.streamTicks([], { capacity: any('9') }),
    ],
    [
      'streamTicks(): found an object as options.signal, expected an AbortSignal or nothing',
      () => board.streamTicks([], { signal: any({}) }),
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(new TypeError(message));
  });
});
