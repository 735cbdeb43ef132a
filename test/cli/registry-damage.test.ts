import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { watchForDamage } from '../../src/cli/registry/damage-watch.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runModreg } from '../support/modreg.ts';
import { registry } from './support/registry-process.ts';
import { serve } from '../support/served-process.ts';

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

it('[T82] a damaged file is not served, and stays as it is', () => {
  const db = filledFile();
  damage(db);
  const before = readFileSync(db);
  const { stdout, stderr, exit } = registry(db, 'serve', '--port', '0');
  expect([stdout, exit]).toEqual(['', 70]);
  expect(stderr).toMatch(
    /^error\[STATE_UNREADABLE\]: "[^"]+": [^\n]+\nhint: the file is kept as it is: modreg registry restore <folder> --replace restores a backup\n$/,
  );
  expect(readFileSync(db).equals(before)).toBe(true);
});

it('[T82] the watch finds damage in a file that is in use, and none in a file that is right', async () => {
  const db = filledFile();
  const ending = new AbortController();
  const { child } = await serve(db);
  const found = watchForDamage(db, ending.signal, 10);
  registry(db, 'publish', 'acme:lidar', '2.0.0');
  const first = await Promise.race([found, runModreg(['registry', 'list', '--db', db])]);
  expect(first).toMatchObject({ exit: 0, stdout: 'acme:lidar  301 releases\n' });
  child.kill('SIGTERM');
  await once(child, 'close');
  damage(db);
  const error = await found;
  expect([error.kind, error.message.startsWith(`"${db}": `)]).toEqual(['damaged', true]);
});
