import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { watchForDamage } from '../../src/cli/serve/damage-watch.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { sql } from '../support/backups.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { newFile, registry } from './support/registry-command.ts';
import { servedHere } from '../support/served-here.ts';

/** A registry file of several pages. */
function filledFile(): string {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const releases = Array.from({ length: 300 }, (_, at) => {
    const release = readRelease({ version: `1.0.${at}`, deprecated: 'x'.repeat(200) });
    if (!release.ok) throw new Error('bad input');
    return release.value;
  });
  catalogue.publishAll(moduleId('acme:lidar'), releases, 0);
  catalogue.close();
  return path;
}

/** Overwrites the last page but one. */
function damage(path: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, statSync(path).size - 2 * 4096);
  closeSync(file);
}

it('[T82] a damaged file is not served, and stays as it is', async () => {
  const db = filledFile();
  damage(db);
  const before = readFileSync(db);
  const { stdout, stderr, exit } = await registry(db, 'serve', '--port', '0');
  expect([stdout, exit]).toEqual(['', 70]);
  expect(stderr).toMatch(
    /^error\[STATE_UNREADABLE\]: "[^"]+": [^\n]+\nhint: the file is kept as it is: modreg registry restore <folder> --replace restores a backup\n$/,
  );
  expect(readFileSync(db).equals(before)).toBe(true);
});

it('[T82] the watch finds damage in a file that is in use, and none in a file that is right', async () => {
  const db = filledFile();
  const ending = new AbortController();
  const { end } = await servedHere(db);
  const found = watchForDamage(db, ending.signal, 10);
  await registry(db, 'publish', 'acme:lidar', '2.0.0');
  const first = await Promise.race([found, inProcess(['registry', 'list', '--db', db])]);
  expect(first).toMatchObject({ exit: 0, stdout: 'acme:lidar  301 releases\n' });
  await end();
  damage(db);
  const error = await found;
  expect([error.kind, error.message.startsWith(`"${db}": `)]).toEqual(['damaged', true]);
});

/** A registry with 1.2.0, whose row is damaged, and 1.3.0. */
async function damagedRow(): Promise<string> {
  const db = newFile();
  for (const version of ['1.2.0', '1.3.0']) await registry(db, 'publish', 'acme:lidar', version);
  sql(db, "UPDATE releases SET content = 'xx' WHERE id = 1");
  return db;
}

describe('[T225] a row of releases is damaged', () => {
  const found =
    '"PATH": row 1 of releases, column content: the content of acme:lidar 1.2.0 is not that of a release';
  const restoring = 'modreg registry restore <folder> --replace restores a backup';
  it.each<[string, readonly string[], object]>([
    [
      'a yank is done, and says that machines get no list',
      ['yank', 'acme:lidar', '1.3.0', '--reason', 'stops'],
      {
        stdout: ['acme:lidar 1.3.0 is yanked: stops'],
        stderr: [
          `error[STATE_UNREADABLE]: ${found}`,
          `hint: acme:lidar 1.3.0 is yanked, but machines get no list of acme:lidar until the row is repaired: ${restoring}`,
        ],
        exit: 70,
      },
    ],
    [
      'unyank needs no list',
      ['unyank', 'acme:lidar', '1.3.0'],
      { stdout: ['acme:lidar 1.3.0 is already not yanked'], stderr: [], exit: 0 },
    ],
    [
      'show names the version',
      ['show', 'acme:lidar'],
      { stdout: [], stderr: [`error[STATE_UNREADABLE]: ${found}`], exit: 70 },
    ],
    [
      'verify names the version',
      ['verify'],
      {
        stdout: [],
        stderr: [
          'error[DAMAGED]: the registry "PATH" is damaged',
          `  because ${found}`,
          `hint: ${restoring}`,
        ],
        exit: 1,
      },
    ],
  ])('%s', async (_, command, output) => {
    const db = await damagedRow();
    const { stdout, stderr, exit } = await printed(['registry', ...command, '--db', db]);
    expect({ stdout, stderr: stderr.map((line) => line.replaceAll(db, 'PATH')), exit }).toEqual(
      output,
    );
  });
});
