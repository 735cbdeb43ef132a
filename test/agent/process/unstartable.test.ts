import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { launch } from '../../../src/agent/process/launch.ts';
import { whyNotRunnable } from '../../../src/agent/process/runnable.ts';
import { cutElf, elf } from '../support/elf-file.ts';
import { fakeStart } from '../support/fake-start.ts';
import { temporaryFolder } from '../../support/folder.ts';

const OWN = process.arch === 'arm64' ? 183 : 62;

/** A folder with these executable files. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files))
    writeFileSync(`${folder}/${name}`, content, { mode: 0o755 });
  return folder;
}

/** A folder in which `run` is interpreted by as many further scripts, and these by `cat`. */
function chainOf(further: number): string {
  const names = Array.from({ length: further + 1 }, (_, place) =>
    place === 0 ? 'run' : `s${place}`,
  );
  const interpreters = [...names.slice(1), '/bin/cat'];
  return folderOf(
    Object.fromEntries(
      names.map((name, place) => [name, `#!${interpreters[place]}\necho shell\n`]),
    ),
  );
}

/** A folder in which the first line of `run` has so many bytes: it names a link to `cat`. */
function lineOf(bytes: number, argument = ''): string {
  const folder = folderOf({});
  const line = `#!${folder}/`.padEnd(bytes - argument.length, 'x');
  symlinkSync('/bin/cat', line.slice(2));
  writeFileSync(`${folder}/run`, `${line}${argument}\necho shell\n`, { mode: 0o755 });
  return folder;
}

const LONG = 'its first line is longer than the 255 bytes that Linux reads';

it.each<[what: string, folder: () => string, reason: string]>([
  [
    'a program that is cut off',
    () => folderOf({ run: cutElf(OWN, 200) }),
    'it is cut off: it has 200 bytes, and needs 4096',
  ],
  [
    'a script that is its own interpreter',
    () => folderOf({ run: '#!run\n' }),
    'its first line names run, which is the script itself',
  ],
  [
    'two scripts that interpret each other',
    () => folderOf({ run: '#!./other\n', other: '#!run\n' }),
    'its first line names ./other, which leads to no program: Linux follows at most 5 scripts',
  ],
  ['a first line of 256 bytes', () => lineOf(256), LONG],
  [
    'an interpreter in its folder that is not executable',
    () => {
      const folder = folderOf({ run: '#!other\n', other: '#!/bin/sh\n' });
      chmodSync(`${folder}/other`, 0o644);
      return folder;
    },
    'its first line names other, which is not executable',
  ],
  [
    'a script of env that names no program: it starts itself without end',
    () => folderOf({ run: '#!/usr/bin/env \n' }),
    'its first line names no program after /usr/bin/env',
  ],
  [
    'a chain of scripts to a text',
    () => folderOf({ run: '#!./other\n', other: '#!text\n', text: 'echo\n' }),
    'its first line names ./other, which leads to text, which is neither a program nor a script',
  ],
  [
    'an object file',
    () => {
      const file = elf(OWN);
      file.writeUInt16LE(1, 16);
      return folderOf({ run: file });
    },
    'it is an object file, not linked',
  ],
])('[T852] the agent blames the release for %s', async (_what, folderFor, reason) => {
  const folder = folderFor();
  const { start } = fakeStart([], { path: `${folder}/run` });
  expect(await launch({ ...start, folder })).toEqual({
    ok: false,
    error: { blame: 'release', reason },
  });
});

it.each([
  ['a file without permission', (path: string) => writeFileSync(path, '#!/bin/sh\n')],
  ['a folder', (path: string) => mkdirSync(path)],
])('[A18] the agent blames the machine for an interpreter that is %s', async (_what, create) => {
  const interpreter = `${temporaryFolder()}/sh`;
  create(interpreter);
  const folder = folderOf({ run: `#!${interpreter}\n` });
  const { start } = fakeStart([], { path: `${folder}/run` });
  expect(await launch({ ...start, folder })).toEqual({
    ok: false,
    error: {
      blame: 'machine',
      reason: `its first line names ${interpreter}, which is not executable on this machine`,
    },
  });
});

/** What Linux and a C library make of the program: what `cat` wrote of it begins with its first line, and `shell` is what a shell wrote. */
function startedIn(folder: string): string {
  const { error, stdout } = spawnSync(`${folder}/run`, { cwd: folder, encoding: 'utf8' });
  if (error) return (error as NodeJS.ErrnoException).code ?? error.message;
  return stdout.startsWith('#!') ? 'interpreted' : stdout.trim();
}

it.each<[what: string, folder: () => string, started: string, reason: string | undefined]>([
  ['five scripts', () => chainOf(4), 'interpreted', undefined],
  [
    'six scripts',
    () => chainOf(5),
    'ELOOP',
    'its first line names s1, which leads to no program: Linux follows at most 5 scripts',
  ],
  [
    'an interpreter that is not executable',
    () => {
      const folder = folderOf({ run: '#!./other\n', other: '#!/bin/cat\n' });
      chmodSync(`${folder}/other`, 0o644);
      return folder;
    },
    'EACCES',
    'its first line names ./other, which is not executable',
  ],
  [
    'an interpreter that is a text, with which a C library starts a shell',
    () => folderOf({ run: '#!./text\necho shell\n', text: 'cat\n' }),
    'shell',
    'its first line names ./text, which is neither a program nor a script',
  ],
  [
    'a shared library',
    () => {
      const library = elf(OWN);
      library.writeUInt16LE(3, 16);
      library.writeUInt32LE(0, 24);
      return folderOf({ run: library });
    },
    '',
    'it is a shared library: no address is named at which it starts',
  ],
  ['a first line of 255 bytes', () => lineOf(255), 'interpreted', undefined],
  ['a first line of 256 bytes', () => lineOf(256), 'shell', LONG],
  [
    'a first line of which only the argument is too long',
    () => lineOf(300, ` -${'u'.repeat(80)}`),
    'interpreted',
    undefined,
  ],
])('[D476] Linux and modreg agree about %s', (_what, folderFor, started, reason) => {
  const folder = folderFor();
  expect([startedIn(folder), whyNotRunnable(`${folder}/run`, undefined, folder)]).toEqual([
    started,
    reason === undefined ? undefined : { blame: 'release', reason },
  ]);
});
