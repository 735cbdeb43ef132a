import type { FakeBoardAttributes } from '../config/index.ts';
import type { Result } from '../core/index.ts';
import {
  expectArgument,
  expectMembers,
  FLAG,
  LIST,
  numberIn,
  optional,
  SIGNAL,
  TEXT,
  type Expected,
} from '../core/text/argument.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { firstFew } from '../core/text/few.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { quote } from '../core/text/quote.ts';
import { CLOCK, systemClock, type Clock } from '../registry/clock.ts';
import type { FakeBoard } from './fake-board.ts';
import { averagingOf, rollingAverage } from './rolling-average.ts';
import { isHigh, TickStream, ticksSoFar, type TickSource } from './tick-stream.ts';

const DEFAULT_INTERVAL_MS = 1000;
const DEFAULT_CAPACITY = 1000;
const NAMED = 3;

const ATTRIBUTES = { failNew: FLAG, analogs: LIST, digitalInterrupts: LIST };
const INTERVAL: Expected = numberIn((ms) => ms >= 1 && ms < Infinity, 'milliseconds from 1');
const CAPACITY: Expected = numberIn(
  (count) => Number.isSafeInteger(count) && count >= 1,
  'a whole number from 1',
);
const OPTIONS = { clock: optional(CLOCK), tickIntervalMs: optional(INTERVAL) };
const STREAM_OPTIONS = { signal: optional(SIGNAL), capacity: optional(CAPACITY) };

/**
 * Opens a fake board, which begins to tick. The error is the one that `fail_new` asks for, in words; the machine's other components
 * are not affected.
 *
 * @example
 * ```ts
 * import { openFakeBoard } from 'modreg/board';
 * import { fakeBoardOf, readMachine } from 'modreg/config';
 *
 * const machine = readMachine(`{ "components": [{
 *   "name": "board", "model": "fake", "type": "board", "namespace": "rdk",
 *   "attributes": { "fail_new": false, "digital_interrupts": [{ "name": "bumper", "pin": "11" }] }
 * }] }`);
 * const [component] = machine.ok ? machine.value.components : [];
 * const attributes = component && fakeBoardOf(component);
 * const board = attributes && openFakeBoard(attributes);
 * if (!board?.ok) throw new Error(board?.error ?? 'no fake board');
 * for await (const { name, count } of board.value.streamTicks(['bumper'])) {
 *   console.log(name, count); // bumper 1
 *   break;
 * }
 * ```
 */
export function openFakeBoard(
  attributes: FakeBoardAttributes,
  options: {
    /** Makes the samples and the ticks. The machine's clock by default; tests pass a fake one. */
    readonly clock?: Clock;
    /** The time between two ticks of an interrupt, in milliseconds, 1 or more. A second by default. */
    readonly tickIntervalMs?: number;
  } = {},
): Result<FakeBoard, string> {
  expectMembers('openFakeBoard()', 'attributes', attributes, ATTRIBUTES);
  expectMembers('openFakeBoard()', 'options', options, OPTIONS);
  expectSpelling('openFakeBoard()', 'options', options, OPTIONS);
  if (attributes.failNew) {
    return { ok: false, error: 'the board fails at startup, because its fail_new is true' };
  }
  return { ok: true, value: boardOf(attributes, options) };
}

/** The board with these attributes (D46). */
function boardOf(
  attributes: FakeBoardAttributes,
  {
    clock = systemClock,
    tickIntervalMs = DEFAULT_INTERVAL_MS,
  }: NonNullable<Parameters<typeof openFakeBoard>[1]>,
): FakeBoard {
  const source = { clock, openedAt: clock.monotonic(), intervalMs: tickIntervalMs };
  const interrupts = new Set(attributes.digitalInterrupts.map(({ name }) => name));
  const pins = new Set(attributes.digitalInterrupts.map(({ pin }) => pin));
  const expectInterrupt = (callee: string, name: string): void => {
    expectArgument(callee, 'name', name, TEXT);
    if (!interrupts.has(name)) throw unknown(callee, 'digital interrupt', name, interrupts);
  };
  return {
    attributes,
    readAnalog: analogReader(attributes.analogs, source),
    value(name) {
      expectInterrupt('value()', name);
      return ticksSoFar(source);
    },
    getGpio(pin) {
      expectArgument('getGpio()', 'pin', pin, TEXT);
      return pins.has(pin) && isHigh(ticksSoFar(source));
    },
    streamTicks(names = [...interrupts], streaming = {}) {
      expectArgument('streamTicks()', 'names', names, LIST);
      expectMembers('streamTicks()', 'options', streaming, STREAM_OPTIONS);
      expectSpelling('streamTicks()', 'options', streaming, STREAM_OPTIONS);
      for (const name of names) expectInterrupt('streamTicks()', name);
      const { capacity = DEFAULT_CAPACITY, signal } = streaming;
      return new TickStream(source, [...new Set(names)], { capacity, signal });
    },
  };
}

function analogReader(
  analogs: FakeBoardAttributes['analogs'],
  { clock, openedAt }: TickSource,
): FakeBoard['readAnalog'] {
  const readings = new Map(analogs.map(({ name }) => [name, 0]));
  const averages = new Map(
    analogs.map((one) => [one.name, averagingOf(one.averageOverMs, one.samplesPerSec)]),
  );
  return (name) => {
    expectArgument('readAnalog()', 'name', name, TEXT);
    const last = readings.get(name);
    if (last === undefined) throw unknown('readAnalog()', 'analog reader', name, readings.keys());
    const averaging = averages.get(name);
    if (averaging) return rollingAverage(clock.monotonic() - openedAt, averaging);
    readings.set(name, last + 1);
    return last + 1;
  };
}

function unknown(callee: string, noun: string, name: string, known: Iterable<string>): RangeError {
  const names = [...known];
  const nearest = nearestWord(name, names);
  const others = names.length === 0 ? 'none' : firstFew(names.map(quote), NAMED).join(', ');
  const suggestion = nearest === undefined ? '' : `; did you mean ${quote(nearest)}?`;
  return new RangeError(
    `${callee}: the board has no ${noun} ${quote(name)}, but ${others}${suggestion}`,
  );
}
