import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { setAside } from '../../src/sqlite/set-aside.ts';
import { temporaryFolder } from '../support/folder.ts';

it.each([
  ['alone', [''], [], ['']],
  ['with its parts', ['', '-wal', '-shm', '-journal'], [], ['', '-wal', '-shm', '-journal']],
  [
    'in the place of an earlier one with more parts',
    ['', '-wal'],
    ['', '-wal', '-shm'],
    ['', '-wal'],
  ],
  ['without the file itself', ['-wal'], [''], ['-wal']],
])('a damaged file is set aside %s', (_, parts, earlier, expected) => {
  const folder = temporaryFolder();
  const path = `${folder}/logs.db`;
  for (const part of earlier) writeFileSync(`${path}.damaged${part}`, 'earlier');
  for (const part of parts) writeFileSync(`${path}${part}`, 'damaged');
  expect(setAside(path)).toBe(`${path}.damaged`);
  const names = readdirSync(folder).toSorted();
  expect(names).toEqual(expected.map((part) => `logs.db.damaged${part}`).toSorted());
  for (const name of names) expect(readFileSync(`${folder}/${name}`, 'utf8')).toBe('damaged');
});
