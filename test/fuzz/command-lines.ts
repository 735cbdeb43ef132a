import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { answeredBy } from '../../mocks/replaced-fetch.ts';
import { EXIT_MEANINGS } from '../../src/base/codes.ts';
import { run } from '../../src/cli/main.ts';
import { ROOT } from '../support/modreg.ts';
import { mutate, randomFrom } from '../support/mutate.ts';
import { commandLines } from './command-edits.ts';
import { LISTS } from './list-documents.ts';
import { registryTemplate } from './registry-file.ts';
import { emptyFolder } from './scratch.ts';
import { storeTemplates } from './store-template.ts';
import { isOneLine, target, type Target } from './target.ts';

interface CommandInput {
  readonly argv: readonly string[];
  /** Whether the output goes to a terminal. */
  readonly isTerminal: boolean;
  /** The index of the damaged file, and the seed of the damage. */
  readonly damaged: { readonly file: number; readonly seed: number } | undefined;
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | undefined;
}

async function judgeCommand(input: CommandInput): Promise<string | undefined> {
  const before = process.cwd();
  process.chdir(furnished(input.damaged));
  try {
    return wrongOutcome(input, await answeredBy(answerTo, async () => await printedBy(input)));
  } finally {
    process.chdir(before);
  }
}

const COLOURS = /\u001b\[(31|32|33|39)m/g;

function wrongOutcome({ argv, isTerminal }: CommandInput, printed: Printed): string | undefined {
  const { stdout, stderr, exit } = printed;
  if (exit === undefined || !EXIT_MEANINGS.has(exit)) return `exit ${exit}`;
  const isColoured = isTerminal || argv.some((argument) => argument.includes('always'));
  const both = stdout + stderr;
  if (/error\[INTERNAL\]|"code":"INTERNAL"|^ +at .+:\d+:\d+\)?$/m.test(both)) return both;
  const lines = (isColoured ? both.replace(COLOURS, '') : both).split('\n');
  const odd = lines.find((line) => !isOneLine(line));
  return odd === undefined ? undefined : `printed ${JSON.stringify(odd)}`;
}

/** Runs `modreg` within this process, and returns its output and exit code. */
async function printedBy({ argv, isTerminal }: CommandInput): Promise<Printed> {
  const out = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof out): object => ({
    isTTY: isTerminal,
    write: (text: string) => {
      out[name] += text;
      return true;
    },
    on() {
      return this;
    },
    once: () => undefined,
  });
  const typed = {
    argv: ['node', 'modreg', ...argv],
    env: { PLATFORM_HOME: 'home', HOME: 'home', TERM: 'xterm' },
    platform: 'linux',
    arch: 'x64',
    exitCode: undefined as number | undefined,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    // Code that waits for a signal gets one at once.
    once: (_: string, listener: (signal: string) => void) =>
      queueMicrotask(() => listener('SIGTERM')),
  };
  // Cast: `run` uses only these members of a process and of its streams; a whole process cannot be made.
  await run(typed as unknown as NodeJS.Process);
  return { ...out, exit: typed.exitCode };
}

const RELEASES = ['1.2.3', '1.2.9', '1.2.10-rc.1', '2.0.0'].map((version) => ({ version }));

/** The response of a registry to any request. */
function answerTo({ url }: Request): Response {
  const { pathname, hostname } = new URL(url);
  const [, version, ...rest] = pathname.split('/').map((part) => safely(part));
  if (hostname.startsWith('x')) return Response.json({}, { status: 404 });
  if (version === 'v2') {
    const name = rest.slice(0, -2).join('/');
    return Response.json({ name, tags: RELEASES.map((one) => one.version) });
  }
  if (pathname === '/v1/modules') return Response.json({ modules: ['acme:lidar', 'acme:arm'] });
  if (pathname === '/v1/changes') return Response.json({ sequence: 7, modules: [] });
  if (version === 'v1') {
    const [, namespace, name] = rest;
    const counted = { generation: 57, count: RELEASES.length, releases: RELEASES };
    return Response.json(
      { module_id: `${namespace}:${name}`, ...counted },
      { headers: { etag: '"57"' } },
    );
  }
  const versions = Object.fromEntries(RELEASES.map((one) => [one.version, {}]));
  return Response.json({ name: [version, ...rest].join('/'), versions });
}

function safely(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const ROVER = `${ROOT}examples/rover/`;

/** The files that commands read, by path. */
const FILES: readonly (readonly [path: string, make: () => Uint8Array])[] = [
  ['machine.json', () => readFileSync(`${ROVER}machine.json`)],
  ['policy.json', () => readFileSync(`${ROOT}examples/policy.json`)],
  ['deployed.json', () => readFileSync(`${ROVER}deployed.json`)],
  ['agent.json', () => Buffer.from('{"platform-server":{"release_channel":"latest"}}')],
  ['releases.json', () => Buffer.from(JSON.stringify([{ version: '1.5.0', yanked: 'no' }]))],
  ['registry/acme/lidar.json', () => listOf('acme:lidar')],
  ['registry/npm/typescript.json', () => listOf('npm:typescript')],
  ['home/machine.db', () => storeTemplates()[0]?.main ?? Buffer.of()],
  ['home/registry.db', () => registryTemplate().main],
];

function listOf(module: string): Buffer {
  return LISTS.find((list) => list.module === module)?.bytes ?? Buffer.of();
}

let files: readonly (readonly [path: string, bytes: Uint8Array])[] | undefined;

/** Creates the working directory of a command, with one damaged file if `damaged` is given. */
function furnished(damaged: CommandInput['damaged']): string {
  files ??= FILES.map(([path, make]) => [path, make()]);
  const folder = emptyFolder('typed/at/home');
  for (const [place, [path, bytes]] of files.entries()) {
    const isDamaged = damaged !== undefined && damaged.file === place;
    const left = isDamaged ? damage(path, Buffer.from(bytes), damaged.seed) : bytes;
    mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
    writeFileSync(`${folder}/${path}`, left);
  }
  symlinkSync('loop', `${folder}/loop`);
  symlinkSync('loop.db', `${folder}/loop.db`);
  return folder;
}

/** Mutates a document, or overwrites some bytes of a SQLite file. */
function damage(path: string, bytes: Buffer, seed: number): Buffer {
  const random = randomFrom(seed);
  if (!path.endsWith('.db')) return mutate(bytes, random);
  const places = [...bytes.keys()].filter((place) => bytes[place] !== 0);
  for (let left = 1 + random() * 4; left > 0; left--) {
    bytes[places[Math.floor(random() * places.length)] ?? 0] = Math.floor(random() * 256);
  }
  return bytes;
}

export const COMMANDS: readonly Target[] = [
  target<CommandInput>({
    name: 'command-line',
    faults: 'T35 T69',
    perMille: 15,
    inputs: fc.record(
      {
        argv: commandLines,
        isTerminal: fc.boolean(),
        damaged: fc.option(
          fc.record(
            { file: fc.nat({ max: FILES.length - 1 }), seed: fc.noBias(fc.nat()) },
            { noNullPrototype: true },
          ),
          { nil: undefined, freq: 2 },
        ),
      },
      { noNullPrototype: true },
    ),
    judge: judgeCommand,
  }),
];
