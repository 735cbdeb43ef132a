import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startedInProcess } from '../support/in-process.ts';
import { passingTime } from '../support/passing-time.ts';
import { sh } from '../support/shell.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const BIDI = String.fromCodePoint(0x202e);

function board(name: string, attributes: object = {}): object {
  return {
    name,
    model: 'fake',
    type: 'board',
    namespace: 'rdk',
    attributes: { fail_new: false, ...attributes },
  };
}

function analog(name: string, more: object = {}): object {
  return { name, pin: '1', chip_select: '0', spi_bus: '1', ...more };
}

const JOYSTICK = board('rover', {
  analogs: [analog('joystick')],
  digital_interrupts: [{ name: 'bumper', pin: '11' }],
});
const BROKEN = board('broken', { fail_new: true });
const FAILED =
  'error[BOARD_FAILED]: broken: the board fails at startup, because its fail_new is true; the other boards are not affected';

function fileWith(...components: readonly object[]): string {
  return `${temporaryFolder({ 'machine.json': JSON.stringify({ components }) })}/machine.json`;
}

/** Runs `modreg board` until `signal` comes, which it does at once, and adds what it logs and notes. */
async function logged(
  file: string,
  signal: 'SIGINT' | 'SIGTERM' | 'never',
  ...options: readonly string[]
): Promise<Printed> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const { exit, ...rest } = await printed(['board', file, ...options], {
    clock: () => NOW,
    note: (line) => stderr.push(line.replace(file, 'machine.json')),
    log: (_, line) => stdout.push(line),
    untilSignal: async () =>
      await (signal === 'never' ? new Promise(() => undefined) : Promise.resolve(signal)),
    untilStdoutCloses: async () => {
      if (signal !== 'never') await new Promise(() => undefined);
    },
  });
  return { stdout: [...stdout, ...rest.stdout], stderr: [...stderr, ...rest.stderr], exit };
}

async function shownOnce(file: string, ...options: readonly string[]): Promise<Printed> {
  const { stderr, ...rest } = await printed(['board', file, '--once', ...options], {
    clock: () => NOW,
  });
  return { ...rest, stderr: stderr.map((line) => line.replaceAll(file, 'machine.json')) };
}

describe('[D46] modreg board --once', () => {
  it.each<[string, readonly object[], readonly string[], readonly string[], number]>([
    [
      'shows each board',
      [JOYSTICK, { ...board('x'), model: 'wheeled' }, board('empty')],
      ['12:00:00Z   rover   joystick 1   bumper 0', '12:00:00Z   empty   nothing to read'],
      [],
      0,
    ],
    [
      'shows the boards that work, and the errors of the others',
      [BROKEN, JOYSTICK],
      ['12:00:00Z   rover   joystick 1   bumper 0'],
      [FAILED],
      1,
    ],
    ['shows only errors if no board works', [BROKEN], [], [FAILED], 1],
    [
      'shows the first twenty readings of a board',
      [board('rover', { analogs: Array.from({ length: 23 }, (__, at) => analog(`a${at}`)) })],
      [
        `12:00:00Z   rover   ${Array.from({ length: 20 }, (__, at) => `a${at} 1`).join('   ')}   3 more`,
      ],
      [],
      0,
    ],
    [
      'cuts long names',
      [board('r'.repeat(100), { analogs: [analog('a'.repeat(100))] })],
      [`12:00:00Z   ${'r'.repeat(40)}…   ${'a'.repeat(40)}… 1`],
      [],
      0,
    ],
    [
      'shows averages',
      [
        board('rover', {
          analogs: [analog('a', { average_over_ms: 2_147_483_647, samples_per_sec: 0 })],
        }),
      ],
      ['12:00:00Z   rover   a 1'],
      [],
      0,
    ],
  ])('%s', async (_, components, ...[stdout, stderr, exit]) => {
    expect(await shownOnce(fileWith(...components))).toEqual({ stdout, stderr, exit });
  });

  it('prints the same as data', async () => {
    const { stdout, stderr, exit } = await shownOnce(fileWith(JOYSTICK, BROKEN), '--json');
    expect([stdout.map((line) => JSON.parse(line) as unknown), exit]).toEqual([
      [
        {
          schema: 'modreg/board@1',
          time: '2026-11-21T12:00:00Z',
          name: 'rover',
          analogs: [{ name: 'joystick', value: 1 }],
          digital_interrupts: [{ name: 'bumper', value: 0 }],
        },
      ],
      1,
    ]);
    expect(JSON.parse(stderr[0] ?? '')).toMatchObject({ error: { code: 'BOARD_FAILED' } });
  });
});

describe('[D46] modreg board', () => {
  it.each([
    ['SIGINT', [JOYSTICK], 130],
    ['SIGTERM', [JOYSTICK], 0],
    ['SIGTERM', [JOYSTICK, BROKEN], 1],
    ['SIGINT', [JOYSTICK, BROKEN], 130],
    ['never', [JOYSTICK], 141],
  ] as const)('ended by %s, with the boards %j: exit %i', async (signal, boards, exit) => {
    const { length } = boards;
    expect(await logged(fileWith(...boards), signal)).toEqual({
      stdout: ['12:00:00Z   rover   joystick 1   bumper 0'],
      stderr: [
        ...(length === 1 ? [] : [FAILED]),
        'reading 1 fake board of machine.json, every second (Ctrl-C stops)',
      ],
      exit,
    });
  });

  it('prints only data with --json', async () => {
    const { stdout, stderr } = await logged(fileWith(JOYSTICK), 'SIGTERM', '--json');
    expect([stdout.map((line) => Object.keys(Object(JSON.parse(line)))), stderr]).toEqual([
      [['schema', 'time', 'name', 'analogs', 'digital_interrupts']],
      [],
    ]);
  });

  it.each([
    [1, [], '1 line dropped, because it was not read'],
    [2, [], '2 lines dropped, because they were not read'],
    [2, ['--json'], '{"schema":"modreg/board@1","dropped_lines":2}'],
  ] as const)('says that lines were dropped: %i %j', async (count, options, expected) => {
    const told: string[] = [];
    await printed(['board', fileWith(JOYSTICK), ...options], {
      log: (_, __, lost) => told.push(lost(count)),
      untilStdoutCloses: async () => await new Promise(() => undefined),
    });
    expect(told).toEqual([expected]);
  });

  it('prints what has changed, each second, until Ctrl-C', async () => {
    const boards = [
      board('rover', {
        analogs: [
          analog('joystick'),
          analog('slow', { average_over_ms: 100_000_000, samples_per_sec: 0 }),
        ],
      }),
      board('empty'),
    ];
    const passing = passingTime();
    const stdout = new PassThrough();
    const running = startedInProcess(['board', fileWith(...boards)], { stdout });
    const lines: string[] = [];
    createInterface(stdout).on('line', (line) => {
      lines.push(line.replace(/^\d\d:\d\d:\d\dZ/, 'TIME').replace(/ {3}slow [2-9]/, ''));
      if (lines.length === 4) running.kill('SIGINT');
    });
    const exit = await passing(running.ended);
    expect([lines.slice(0, 4), exit]).toEqual([
      [
        'TIME   rover   joystick 1   slow 1',
        'TIME   empty   nothing to read',
        'TIME   rover   joystick 2',
        'TIME   rover   joystick 3',
      ],
      130,
    ]);
  });

  it.each([
    ['| head -n 1', ['TIME   rover   joystick 1   bumper 0', 'exit 141']],
    ['>/dev/full', ['error[INTERNAL]: cannot write the answer (ENOSPC)', 'exit 70']],
  ])('ends when nobody reads it: %s', (stdout, expected) => {
    const command = `./bin/modreg board ${fileWith(JOYSTICK)}`;
    const lines = sh(`{ { ${command}; echo "exit $?" >&2; } ${stdout}; } 2>&1`)
      .replace(/\d\d:\d\d:\d\dZ/, 'TIME')
      .trimEnd()
      .split('\n');
    expect(lines.filter((line) => !line.startsWith('reading ')).toSorted()).toEqual(
      expected.toSorted(),
    );
  });
});

describe('modreg board needs a machine config with a fake board', () => {
  it.each<[string, object, readonly string[], number]>([
    [
      'without one',
      {},
      [
        'error[UNKNOWN_REFERENCE]: machine.json has no fake board',
        'hint: a fake board is a component with "model": "fake" and "type": "board"',
      ],
      1,
    ],
    [
      'whose attributes have errors',
      board('rover', {
        fail_new: 1,
        analogs: [analog('a', { samples_per_sec: -1, average_over_ms: 1e10 })],
        digital_interrupts: [{ name: `b${BIDI}`, pin: '' }],
      }),
      [
        'error[BAD_VALUE]: the machine config machine.json has 5 errors',
        '  because 1:105 BAD_TYPE /components/0/attributes/fail_new: found a number, expected true or false',
        '  1:190 OUT_OF_RANGE /components/0/attributes/analogs/0/samples_per_sec: found -1, expected a whole number from 0 to 2147483647',
        '  1:211 OUT_OF_RANGE /components/0/attributes/analogs/0/average_over_ms: found 10000000000, expected a whole number from 0 to 2147483647',
        'hint: modreg check machine.json --as machine shows them all',
      ],
      1,
    ],
  ])('%s', async (_, component, ...[stderr, exit]) => {
    const components = 'name' in component ? [component] : [{ ...board('x'), model: 'wheeled' }];
    expect(await shownOnce(fileWith(...components))).toEqual({ stdout: [], stderr, exit });
    const live = await logged(fileWith(...components), 'SIGTERM');
    expect([live.stdout, live.exit]).toEqual([[], exit]);
  });

  it('that can be read', async () => {
    expect(await shownOnce('none.json')).toEqual({
      stdout: [],
      stderr: ['error[UNREADABLE_FILE]: the file "machine.json" does not exist'],
      exit: 2,
    });
  });
});
