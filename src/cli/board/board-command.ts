import { openFakeBoard } from '../../board/index.ts';
import { fakeBoardOf } from '../../config/component.ts';
import type { Component } from '../../config/index.ts';
import { readMachine } from '../../config/read-document.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Clock } from '../../registry/clock.ts';
import { documentWithErrors } from '../../host/document-findings.ts';
import { readDocumentFile } from '../../host/document-file.ts';
import { countOf } from '../../base/count.ts';
import {
  failed,
  formatProblem,
  problemAsJson,
  type Outcome,
  type Problem,
} from '../../base/problem.ts';
import { clockOf, type World } from '../../base/world.ts';
import {
  asJson,
  asLine,
  changed,
  lostLines,
  read,
  type NamedBoard,
  type Readings,
} from './board-readings.ts';
import { endingAfter } from '../base/ending-after.ts';

export interface BoardOptions {
  readonly once?: true;
  readonly json?: true;
}

/** The boards that work, and the problems of those that do not. */
interface Boards {
  readonly boards: readonly NamedBoard[];
  readonly problems: readonly Problem[];
}

/** The time between two readings. */
const INTERVAL_MS = 1000;

/** `modreg board <machine.json>`: shows what the fake boards of the machine read (D46). */
export async function boardCommand(
  path: string,
  options: BoardOptions,
  world: World,
): Promise<Outcome> {
  if (options.once) return showOnce(path, options, world);
  // Registered first, so that a signal during startup also ends the command.
  const ended = Promise.race([world.untilSignal(), world.untilStdoutCloses()]);
  const opened = openBoards(path, clockOf(world));
  if (!opened.ok) return failed(opened.error);
  const { boards, problems } = opened.value;
  if (boards.length === 0) return failed(...problems);
  const lines = options.json ? problems.map(problemAsJson) : problems.flatMap(formatProblem);
  for (const line of lines) world.note(line);
  if (!options.json) {
    const count = countOf(boards.length, 'fake board');
    world.note(`reading ${count} of ${excerpt(path)}, every second (Ctrl-C stops)`);
  }
  const stopping = new AbortController();
  const showing = show(boards, options, { world, signal: stopping.signal });
  const signal = await ended;
  stopping.abort();
  await showing;
  const ending = endingAfter(signal) ?? (problems.length === 0 ? undefined : 'no');
  return { answer: [], notes: [], problems: [], isLog: true, ending };
}

function showOnce(path: string, { json }: BoardOptions, world: World): Outcome {
  const opened = openBoards(path, clockOf(world));
  if (!opened.ok) return failed(opened.error);
  const { boards, problems } = opened.value;
  const now = world.clock();
  const answer = boards.map((one) => (json ? asJson(now, read(one)) : asLine(now, read(one))));
  return { answer, notes: [], problems };
}

/** Opens each fake board of the machine config. One with `fail_new` does not stop the others (D46). */
function openBoards(path: string, clock: Clock): Result<Boards, Problem> {
  const file = readDocumentFile(path);
  if (!file.ok) return file;
  const { bytes, mode } = file.value;
  const machine = readMachine(bytes, { mode, unknownFields: 'warn' });
  if (!machine.ok) {
    return { ok: false, error: documentWithErrors('the machine config', path, machine, 'machine') };
  }
  const opened = machine.value.components.flatMap((component) => openBoard(component, clock));
  if (opened.length === 0) return { ok: false, error: noBoard(path) };
  const boards = opened.flatMap((one) => (one.ok ? [one.value] : []));
  const problems = opened.flatMap((one) => (one.ok ? [] : [one.error]));
  return { ok: true, value: { boards, problems } };
}

/** Opens the board that the component is, if it is one. */
export function openBoard(component: Component, clock: Clock): Result<NamedBoard, Problem>[] {
  const attributes = fakeBoardOf(component);
  if (!attributes) return [];
  const { name } = component;
  const board = openFakeBoard(attributes, { clock });
  if (board.ok) return [{ ok: true, value: { name, board: board.value } }];
  const message = `${excerpt(name)}: ${board.error}; the other boards are not affected`;
  return [{ ok: false, error: { severity: 'error', kind: 'board-failed', message } }];
}

function noBoard(path: string): Problem {
  return {
    severity: 'error',
    kind: 'unknown-reference',
    message: `${excerpt(path)} has no fake board`,
    hint: 'a fake board is a component with "model": "fake" and "type": "board"',
  };
}

/** Shows all readings, and then each second those that have changed, until `signal` aborts. */
async function show(
  boards: readonly NamedBoard[],
  { json }: BoardOptions,
  { world, signal }: { readonly world: World; readonly signal: AbortSignal },
): Promise<void> {
  const last = new Map<string, Readings>();
  for (;;) {
    for (const one of boards) {
      const now = read(one);
      const shown = changed(now, last.get(one.name));
      last.set(one.name, now);
      if (!shown) continue;
      const line = json ? asJson(world.clock(), shown) : asLine(world.clock(), shown);
      world.log('stdout', line, (count) => lostLines(count, json));
    }
    try {
      await world.timer.sleep(INTERVAL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}
