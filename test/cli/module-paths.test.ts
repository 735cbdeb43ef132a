import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

/* Paths that authors mistype, and places in which nothing can be made. */

const LONG = 'x'.repeat(5000);
const UNWRITTEN = 'expected a new or an empty folder; nothing was written';

/** A folder with a module `lidar`, a file, a pipe and a link to itself. */
function place(): string {
  const folder = temporaryFolder({
    'lidar/meta.json': '{"entrypoint":"run"}',
    'lidar/run': '#!/bin/sh\nexec sleep 60\n',
    'notes.txt': 'notes',
  });
  chmodSync(`${folder}/lidar/run`, 0o755);
  execFileSync('mkfifo', [`${folder}/pipe`]);
  symlinkSync('loop', `${folder}/loop`);
  return folder;
}

/** What `modreg …` prints about a path, and its exit code; `@` is the folder of the test. */
async function said(folder: string, args: readonly string[]): Promise<readonly unknown[]> {
  const named = args.map((arg) => arg.replace('@', folder));
  const { stdout, stderr, exit } = await inProcess(named);
  return [`${stdout}${stderr}`.replaceAll(folder, '.').trimEnd(), exit];
}

it.each<[args: readonly string[], text: string]>([
  [
    ['init', '/proc/modreg/lidar'],
    'error[UNREADABLE_FILE]: the folder "/proc/modreg/lidar" cannot be written (its folder does not exist)',
  ],
  [['init', ''], `error[USAGE]: found "" as the folder, ${UNWRITTEN}`],
  [['init', '@/notes.txt'], `error[USAGE]: "./notes.txt" is not a folder, ${UNWRITTEN}`],
  [['init', '@/lidar'], `error[USAGE]: "./lidar" is not empty, ${UNWRITTEN}`],
  [['init', '@/loop'], 'error[UNREADABLE_FILE]: the folder "./loop" cannot be written (ELOOP)'],
  [['check', '@/loop'], 'error[UNREADABLE_FILE]: the file "./loop" cannot be read (ELOOP)'],
  [['check', '@/none'], 'error[UNREADABLE_FILE]: the file "./none" does not exist'],
  [
    ['check', '@/pipe'],
    'error[UNREADABLE_FILE]: the file "./pipe" cannot be read (not a regular file)',
  ],
  [['check', '-'], 'error[UNREADABLE_FILE]: the file "./-" does not exist'],
  [
    ['pack', '@/lidar', '--platform', 'linux/amd64', '--out', '@/pipe'],
    'error[UNREADABLE_FILE]: the file "./pipe" cannot be written (not a regular file)',
  ],
  [
    ['pack', '@/lidar', '--platform', 'linux/amd64', '--out', '@/none/lidar.tar.gz'],
    'error[UNREADABLE_FILE]: the file "./none/lidar.tar.gz" cannot be written (its folder does not exist)',
  ],
  [['pack', '@/loop'], 'error[USAGE]: "./loop" is not a folder'],
  [['pack', '@/pipe'], 'error[USAGE]: "./pipe" is not a folder'],
  [['run', '@/loop'], 'error[USAGE]: "./loop" is not a folder'],
])('[T850] module %j', async (args, text) => {
  expect(await said(place(), ['module', ...args])).toEqual([text, 2]);
});

it.each([
  ['check', '@/pipe'],
  ['check', '@/lidar/meta.json', '--policy', '@/pipe'],
  ['plan', '@/pipe'],
])('[T850] %s of a pipe', async (...args) => {
  const text = 'error[UNREADABLE_FILE]: the file "./pipe" cannot be read (not a regular file)';
  expect(await said(place(), args)).toEqual([text, 2]);
});

it.each(['init', 'check', 'pack', 'run'])(
  '[T850] module %s of a path that is too long is no bug of modreg',
  async (command) => {
    const [text, exit] = await said(temporaryFolder(), ['module', command, LONG]);
    expect([text, exit]).toEqual([expect.stringMatching(/^error\[(UNREADABLE_FILE|USAGE)\]: /), 2]);
  },
);

it.each([
  ['loop', 'ELOOP', ''],
  ['pipe', 'not a regular file', ''],
  ['lidar', 'not a regular file', '\nhint: modreg module pack ./lidar makes an archive of it'],
])('[T850] registry publish --upload %s', async (name, reason, hint) => {
  const folder = place();
  const publish = ['registry', 'publish', 'acme:lidar', '1.0.0', '--upload', `@/${name}`];
  expect(await said(folder, [...publish, '--db', '@/registry.db', '--create'])).toEqual([
    `error[UNREADABLE_FILE]: the file "./${name}" cannot be read (${reason})${hint}`,
    2,
  ]);
  expect(existsSync(`${folder}/registry.db`)).toBe(false);
});

it('[T850] keys new where nothing can be made says so', async () => {
  expect(await said(temporaryFolder(), ['keys', 'new', '/proc/modreg/publish.key'])).toEqual([
    'error[STATE_WRITE]: the keys cannot be written to "/proc/modreg" (its folder does not exist); nothing was changed',
    70,
  ]);
});

it('module init names a folder that begins with a dash as the next command takes it', async () => {
  const folder = temporaryFolder();
  const before = process.cwd();
  process.chdir(folder);
  try {
    const [text] = await said(folder, ['module', 'init', '--', '-lidar']);
    expect(text).toContain('then modreg module check ./-lidar');
    expect(readdirSync(folder)).toEqual(['-lidar']);
  } finally {
    process.chdir(before);
  }
});
