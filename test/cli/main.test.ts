import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { brokenStream } from '../support/broken-stream.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startedInProcess, textOf, type Surroundings } from '../support/in-process.ts';

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | undefined;
}

/** Runs modreg as the process whose arguments these are. */
async function ran(args: readonly string[], own: Surroundings = {}): Promise<Ran> {
  const { stdout, stderr, ended } = startedInProcess(args, {
    platform: 'linux',
    arch: 'x64',
    ...own,
  });
  const exit = await ended;
  return { stdout: textOf(stdout), stderr: textOf(stderr), exit };
}

const RED = '\u001b[31m';
const YELLOW = '\u001b[33m';
const GREEN = '\u001b[32m';
const END = '\u001b[39m';

describe('--color=always', () => {
  it('colours the selected release of --explain, and the label of a warning', async () => {
    const args = ['resolve', 'acme:lidar', '1.9.*', '--explain', '--color=always'];
    const { stdout, stderr, exit } = await ran(args);
    const lines = stdout.split('\n').filter((line) => line.includes('\u001b'));
    expect(lines).toEqual([`${GREEN}  1.9.1            YES  newest patch of 1.9${END}`]);
    expect(stderr.split('\n')[1]?.split(' ignored ')[0]).toBe(
      `${YELLOW}warning[IGNORED_ENTRIES]:${END}`,
    );
    expect(exit).toBe(0);
  });

  it('colours the label of each problem that check found', async () => {
    const document = { modules: [], moduls: [], components: 7 };
    const folder = temporaryFolder({ 'm.json': JSON.stringify(document) });
    const { stdout, exit } = await ran(['check', `${folder}/m.json`, '--color=always']);
    expect(stdout.replaceAll(folder, '.')).toBe(
      [
        `./m.json:1:15  ${YELLOW}warning[UNKNOWN_FIELD]${END}  /moduls: unknown field; did you mean modules ?`,
        `./m.json:1:40  ${RED}error[BAD_TYPE]${END}         /components: found a number, expected a list of components`,
        '1 error, 1 warning; 0 modules read',
        '',
      ].join('\n'),
    );
    expect(exit).toBe(1);
  });
});

describe('an error in modreg', () => {
  const args = ['resolve', 'acme:cam', 'latest'];
  const env = Object.defineProperty({}, 'MODREG_REGISTRY', {
    get: () => {
      throw new Error('no light');
    },
  });

  it('is one line, and says how to report it', async () => {
    expect(await ran(args, { env })).toEqual({
      stdout: '',
      stderr: `error[INTERNAL]: this is a bug in modreg: Error: no light
hint: run the command again with --debug and report its output
`,
      exit: 70,
    });
  });

  it('is followed by its stack with --debug', async () => {
    const { stderr, exit } = await ran([...args, '--debug'], { env });
    const lines = stderr.split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'error[INTERNAL]: this is a bug in modreg: Error: no light',
      '  because Error: no light',
    ]);
    expect(lines[2]).toMatch(/^ +at .*main\.test\.ts/);
    expect(exit).toBe(70);
  });
});

describe('[T69] an answer that cannot be written', () => {
  it.each<[string, string, number]>([
    ['EPIPE', '', 141],
    ['ENOSPC', 'error[INTERNAL]: cannot write the answer (ENOSPC)\n', 70],
  ])('%s', async (code, stderr, exit) => {
    const outcome = await ran(['version'], { stdout: brokenStream(code) });
    expect(outcome).toEqual({ stdout: '', stderr, exit });
  });

  it('is reported once, by its first error', async () => {
    const stdout = brokenStream('EPIPE');
    const process = ran(['version'], { stdout });
    await new Promise((resolve) => setImmediate(resolve));
    stdout.emit('error', Object.assign(new Error('x'), { code: 'ENOSPC' }));
    expect(await process).toEqual({ stdout: '', stderr: '', exit: 141 });
  });
});

it('a problem that cannot be written changes neither the answer nor the exit code', async () => {
  const streams = { stderr: brokenStream('ENOSPC') };
  expect(await ran(['resolve', 'acme:lidar', '1.2.*'], streams)).toEqual({
    stdout: '1.2.9\n',
    stderr: '',
    exit: 0,
  });
});

it.each([
  ['a log, half a second later', ['__complete', '--', 'vers'], true],
  ['another answer, never', ['version'], false],
])('the reader no longer keeps a process from ending that wrote %s', async (_, args, isEnded) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isExited = false;
  await ran(args, { exit: () => (isExited = true) });
  vi.advanceTimersByTime(499);
  expect(isExited).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isExited).toBe(isEnded);
});

it('the versions as data', async () => {
  const { stdout, stderr, exit } = await ran(['version', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    schema: 'modreg/version@1',
    modreg: expect.stringMatching(/^\d+\.\d+\.\d+(?:-dev)?$/) as string,
    node: process.version,
  });
  expect([stderr, exit]).toEqual(['', 0]);
});

it.each(['toString', 'constructor', '__proto__'])(
  'a word that every object has is an unknown command: %s',
  async (word) => {
    expect(await ran([word])).toMatchObject({
      stderr: `error[USAGE]: unknown command '${word}'\nhint: modreg --help shows how\n`,
      exit: 2,
    });
  },
);

/** The length of the longest line of a help. */
async function longestLine(env: object): Promise<number> {
  const { stdout } = await ran(['status', '--help'], { env });
  return Math.max(...stdout.split('\n').map(({ length }) => length));
}

it('help is wrapped at 80 columns without a terminal, and at COLUMNS', async () => {
  expect([await longestLine({}), await longestLine({ COLUMNS: '100' })]).toEqual([79, 100]);
});
