import type { FakeBoard } from '../../board/index.ts';
import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';

/** A fake board of the machine. */
export interface NamedBoard {
  readonly name: string;
  readonly board: FakeBoard;
}

interface Reading {
  readonly name: string;
  readonly value: number;
}

/** What a board reads at one moment. */
export interface Readings {
  readonly name: string;
  readonly analogs: readonly Reading[];
  readonly interrupts: readonly Reading[];
}

const SCHEMA = 'modreg/board@1';
/** The most readings in a line for a person. */
const MOST_SHOWN = 20;
const LONGEST_NAME = 40;

/** Reads each analog reader and each interrupt of a board. */
export function read({ name, board }: NamedBoard): Readings {
  const { analogs, digitalInterrupts } = board.attributes;
  return {
    name,
    analogs: analogs.map((one) => ({ name: one.name, value: board.readAnalog(one.name) })),
    interrupts: digitalInterrupts.map((one) => ({ name: one.name, value: board.value(one.name) })),
  };
}

/** The readings that differ from those of `before`; undefined if none does. */
export function changed(now: Readings, before: Readings | undefined): Readings | undefined {
  if (!before) return now;
  const analogs = differing(now.analogs, before.analogs);
  const interrupts = differing(now.interrupts, before.interrupts);
  return analogs.length + interrupts.length === 0 ? undefined : { ...now, analogs, interrupts };
}

/** Both are the readings of one board, in the same order. */
function differing(now: readonly Reading[], before: readonly Reading[]): Reading[] {
  return now.filter(({ value }, place) => value !== before[place]?.value);
}

/** `12:00:03Z   board   joystick 4   bumper 3`. */
export function asLine(now: number, { name, analogs, interrupts }: Readings): string {
  const time = formatTime(now).replace(/^.*T(\d\d:\d\d:\d\d).*$/, '$1Z');
  const cells = [...analogs, ...interrupts].map((one) => {
    return `${excerpt(one.name, LONGEST_NAME)} ${one.value}`;
  });
  const shown = cells.length === 0 ? ['nothing to read'] : firstFew(cells, MOST_SHOWN);
  return [time, excerpt(name, LONGEST_NAME), ...shown].join('   ');
}

/** The line in place of lines that were dropped. */
export function lostLines(count: number, isJson: boolean = false): string {
  if (isJson) return jsonLine({ schema: SCHEMA, dropped_lines: count });
  return `${countOf(count, 'line')} dropped, because ${count === 1 ? 'it was' : 'they were'} not read`;
}

/** One line of JSON, schema `modreg/board@1`. */
export function asJson(now: number, { name, analogs, interrupts }: Readings): string {
  return jsonLine({
    schema: SCHEMA,
    time: formatTime(now),
    name,
    analogs,
    digital_interrupts: interrupts,
  });
}
