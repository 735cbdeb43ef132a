import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { columnsOf } from '../../src/cli/base/columns.ts';
import { presentationOf } from '../../src/cli/base/presentation.ts';
import { columnsOf as widthOf, isColoured } from '../../src/cli/base/terminal.ts';
import { timeZoneIn } from '../../src/config/time-zone.ts';
import { waiting } from '../../src/base/waiting.ts';
import { wrapped } from '../../src/cli/base/wrap.ts';
import {
  complaintProblem,
  exitCodeOf,
  formatProblem,
  problemAsJson,
  type Outcome,
  type Problem,
} from '../../src/base/problem.ts';
import type { UpdatePolicy } from '../../src/config/index.ts';
import { quietWorld } from '../support/quiet-world.ts';

describe('a line that is longer than the terminal is wide', () => {
  const ROW = '  NAME   VALUE   some words that go on and on';

  it.each<[string, number | undefined, readonly string[]]>([
    ['one two three', undefined, ['one two three']],
    ['one two three', 13, ['one two three']],
    ['one two three', 12, ['one two', '    three']],
    ['one two three', 7, ['one two', '    three']],
    ['  one two three four five', 14, ['  one two', '      three', '      four', '      five']],
    ['abcdefghijklmnop q', 5, ['abcdefghijklmnop', '    q']],
    // Below the last column, if that leaves room for 24 characters.
    [ROW, 45, [ROW]],
    [ROW, 44, ['  NAME   VALUE   some words that go on and', '                 on']],
    [ROW, 41, ['  NAME   VALUE   some words that go on', '                 and on']],
    [ROW, 40, ['  NAME   VALUE   some words that go on', '         and on']],
  ])('%j at %s', (line, width, lines) => {
    expect(wrapped(line, width)).toEqual(lines);
  });
});

describe('a table', () => {
  const HEADS = ['A', 'LONG', 'LAST'];
  const table = (rows: readonly string[][], width: number | undefined): string[] => {
    const line = columnsOf(HEADS, rows, width);
    return [HEADS, ...rows].flatMap(line);
  };
  const SHORT = [
    ['aa', 'b', 'words words'],
    ['a', 'bbbbbb', 'x'],
  ];
  const LINES = ['  A    LONG     LAST', '  aa   b        words words', '  a    bbbbbb   x'];
  const CARDS = [
    '  aa',
    '      LONG  b',
    '      LAST  words words',
    '  a',
    '      LONG  bbbbbb',
    '      LAST  x',
  ];
  const LONG = [['aa', 'b', 'w'.repeat(40)]];

  it.each<[string[][], number | undefined, string[]]>([
    [SHORT, undefined, LINES],
    [SHORT, 27, LINES],
    [SHORT, 26, CARDS],
    // The last column is wrapped if there is room for 24 characters.
    [LONG, 38, ['  A    LONG   LAST', `  aa   b      ${'w'.repeat(40)}`]],
    [LONG, 37, ['  aa', '      LONG  b', `      LAST  ${'w'.repeat(40)}`]],
    [[], 80, ['  A   LONG   LAST']],
  ])('of %j at %s', (rows, width, lines) => {
    expect(table(rows, width)).toEqual(lines);
  });
});

interface Streamed {
  readonly stream: { readonly isTTY: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
}

describe('the width and the colour of a stream', () => {
  it.each<[string, Streamed, unknown[]]>([
    ['a file', { stream: { isTTY: false }, env: {}, argv: [] }, [undefined, false]],
    ['a terminal', { stream: { isTTY: true, columns: 90 }, env: {}, argv: [] }, [90, true]],
    ['a narrow terminal', { stream: { isTTY: true, columns: 20 }, env: {}, argv: [] }, [20, true]],
    [
      'a terminal for no word',
      { stream: { isTTY: true, columns: 19 }, env: {}, argv: [] },
      [undefined, true],
    ],
    [
      'COLUMNS in a file',
      { stream: { isTTY: false }, env: { COLUMNS: '100' }, argv: [] },
      [100, false],
    ],
    [
      'COLUMNS before the terminal',
      { stream: { isTTY: true, columns: 90 }, env: { COLUMNS: '100' }, argv: [] },
      [100, true],
    ],
    [
      'COLUMNS that is no width',
      { stream: { isTTY: true, columns: 90 }, env: { COLUMNS: '50.5' }, argv: [] },
      [90, true],
    ],
    [
      'COLUMNS of 0',
      { stream: { isTTY: true, columns: 90 }, env: { COLUMNS: '0' }, argv: [] },
      [90, true],
    ],
    [
      'JSON',
      { stream: { isTTY: true, columns: 90 }, env: { COLUMNS: '100' }, argv: ['--json'] },
      [undefined, true],
    ],
    [
      'NO_COLOR',
      { stream: { isTTY: true, columns: 90 }, env: { NO_COLOR: '1' }, argv: [] },
      [90, false],
    ],
    [
      'an empty NO_COLOR',
      { stream: { isTTY: true, columns: 90 }, env: { NO_COLOR: '' }, argv: [] },
      [90, true],
    ],
    [
      'a dumb terminal',
      { stream: { isTTY: true, columns: 90 }, env: { TERM: 'dumb' }, argv: [] },
      [90, false],
    ],
    [
      '--color=always',
      { stream: { isTTY: false }, env: { NO_COLOR: '1' }, argv: ['--color=always'] },
      [undefined, true],
    ],
    [
      '--color=never',
      { stream: { isTTY: true, columns: 90 }, env: {}, argv: ['--color=never'] },
      [90, false],
    ],
  ])('%s', (_, { stream, env, argv }, expected) => {
    const [of, presentation] = [stream as NodeJS.WriteStream, presentationOf(argv)];
    const process = { env };
    expect([widthOf(of, presentation, process), isColoured(of, presentation, process)]).toEqual(
      expected,
    );
  });
});

it('a wait is noted after a second, then every ten seconds, with its latest reason', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const notes: string[] = [];
  const world = { ...quietWorld('linux/x64'), note: (line: string) => void notes.push(line) };
  const { promise, resolve } = Promise.withResolvers<string>();
  const wait = { state: 'no answer yet' };
  const result = waiting(wait, world, async () => await promise);
  await vi.advanceTimersByTimeAsync(999);
  expect(notes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  wait.state = 'refused';
  await vi.advanceTimersByTimeAsync(9999);
  expect(notes).toEqual(['waiting: no answer yet']);
  await vi.advanceTimersByTimeAsync(10_001);
  expect(notes.slice(1)).toEqual(['waiting: refused', 'waiting: refused']);
  resolve('list');
  expect(await result).toBe('list');
  await vi.advanceTimersByTimeAsync(100_000);
  expect(notes).toHaveLength(3);
  expect(await waiting(wait, world, async () => await Promise.resolve('at once'))).toBe('at once');
  await vi.advanceTimersByTimeAsync(100_000);
  expect(notes).toHaveLength(3);
});

describe('[T119] an outcome', () => {
  const WARNING: Problem = { severity: 'warning', kind: 'yanked', message: 'x' };
  const STATE: Problem = { severity: 'error', kind: 'state-unreadable', message: 'x' };
  const USAGE: Problem = { severity: 'error', kind: 'usage', message: 'x' };

  it.each<[Outcome['ending'], Problem[], number]>([
    [undefined, [], 0],
    [undefined, [WARNING], 0],
    [undefined, [WARNING, STATE, USAGE], 70],
    [undefined, [USAGE, STATE], 2],
    ['no', [WARNING], 1],
    ['no', [STATE], 70],
    ['pending', [], 10],
    ['different', [], 11],
    ['attention', [], 12],
    ['attention', [USAGE], 2],
    ['interrupted', [], 130],
    ['unread', [], 141],
  ])('%s with %j: %i', (ending, problems, exit) => {
    expect(exitCodeOf({ answer: [], notes: [], problems, ending })).toBe(exit);
  });
});

function windows(timeZone: string): object {
  return { window: { windows: [{ timeZone }] } };
}

/** The zone of a policy with these general terms, and these of modules. */
function zone(terms: object, ...modules: readonly object[]): string | undefined {
  const policy = { terms, modules: new Map(modules.entries()) };
  // A cast: only the windows of terms are read.
  return timeZoneIn(policy as unknown as UpdatePolicy);
}

it('times are shown in the zone of the policy, else of the first module that has one', () => {
  expect([
    zone(windows('UTC'), windows('Asia/Tokyo')),
    zone({}, {}, windows('Asia/Tokyo'), windows('UTC')),
    zone({}, {}),
  ]).toEqual(['UTC', 'Asia/Tokyo', undefined]);
});

it('a complaint says how to see the reasons that it does not name', () => {
  const complaint = {
    kind: 'no-match',
    message: 'm',
    because: ['a'],
    suggestion: undefined,
    hint: undefined,
  } as const;
  expect(complaintProblem({ ...complaint, unnamed: 0 }).because).toEqual(['a']);
  expect(complaintProblem({ ...complaint, unnamed: 3 }).because).toEqual([
    'a',
    '… 3 more (--explain --all)',
  ]);
});

it('a problem in JSON has all its fields', () => {
  const input = { text: 'x', position: 0, expected: 'y' };
  const parts = { because: ['b'], suggestion: 's', hint: 'h', input };
  const problem = { severity: 'error', kind: 'bad-value', message: 'm' } as const;
  expect(JSON.parse(problemAsJson({ ...problem, ...parts }))).toEqual({
    error: { code: 'BAD_VALUE', message: 'm', ...parts },
  });
  const none = { because: [], suggestion: null, hint: null, input: null };
  expect(JSON.parse(problemAsJson({ severity: 'warning', kind: 'yanked', message: 'm' }))).toEqual({
    warning: { code: 'YANKED', message: 'm', ...none },
  });
});

describe('a problem for a person', () => {
  it('has at most 300 characters in its first line, and all its parts', () => {
    const problem = { severity: 'error', kind: 'usage', message: 'm'.repeat(286) } as const;
    expect(formatProblem(problem)).toEqual([`error[USAGE]: ${'m'.repeat(286)}`]);
    expect(formatProblem({ ...problem, message: 'm'.repeat(287) })).toEqual([
      `error[USAGE]: ${'m'.repeat(285)}…`,
    ]);
    const parts = { because: ['first', 'second'], suggestion: 'this', hint: 'do that' };
    expect(formatProblem({ ...problem, message: 'm', ...parts })).toEqual([
      'error[USAGE]: m',
      '  because first',
      '  second',
      '  did you mean this ?',
      'hint: do that',
    ]);
  });

  it.each([
    ['a'.repeat(80), ['error[USAGE]: m', `  ${'a'.repeat(80)}`, '   ^ expected b']],
    ['a'.repeat(81), ['error[USAGE]: m', '  expected b, at character 2']],
    ['ü', ['error[USAGE]: m', '  expected b, at character 2']],
  ])('points into %s', (text, lines) => {
    const input = { text, position: 1, expected: 'b' };
    expect(formatProblem({ severity: 'error', kind: 'usage', message: 'm', input })).toEqual(lines);
  });
});
