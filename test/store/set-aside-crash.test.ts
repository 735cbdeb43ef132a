import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openForPoller } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/folder.ts';

it.each<[what: string, files: Readonly<Record<string, string>>, aside: string]>([
  [
    'after the first file was renamed',
    { 'machine.db.set-aside-1': 'damaged', 'machine.db-wal': 'its log' },
    'machine.db.set-aside-1-wal',
  ],
  [
    'after an earlier loss',
    {
      'machine.db.set-aside-1': 'earlier',
      'machine.db.set-aside-2': 'damaged',
      'machine.db-wal': 'its log',
    },
    'machine.db.set-aside-2-wal',
  ],
  [
    'after somebody removed machine.db alone',
    { 'machine.db-wal': 'its log' },
    'machine.db.set-aside-1-wal',
  ],
])('[T354] a crash while a file is set aside loses nothing of it, %s', (_what, files, aside) => {
  const folder = temporaryFolder(files);
  const path = `${folder}/machine.db`;
  openForPoller(path).close();
  expect(readFileSync(`${folder}/${aside}`, 'utf8')).toBe('its log');
  for (const [name, content] of Object.entries(files)) {
    if (!name.includes('set-aside')) continue;
    expect(readFileSync(`${folder}/${name}`, 'utf8')).toBe(content);
  }
  expect(readdirSync(folder)).toContain('machine.db');
});

it('[T354] a damaged file is set aside with its log', () => {
  const folder = temporaryFolder();
  const path = `${folder}/machine.db`;
  writeFileSync(path, 'not a database'.repeat(100));
  writeFileSync(`${path}-wal`, 'its log');
  openForPoller(path).close();
  expect(readFileSync(`${path}.set-aside-1`, 'utf8')).toBe('not a database'.repeat(100));
});
