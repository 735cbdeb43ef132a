import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { caught, claimed, commitOne, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

/** The path of a new file whose process was killed before its first commit. */
function interrupted(): string {
  const path = `${temporaryFolder()}/machine.db`;
  for (const name of [`${path}.creating`, path]) writeFileSync(name, '');
  return path;
}

function namesBeside(path: string): string[] {
  return readdirSync(path.replace(/[^/]*$/, ''));
}

describe('[T111] a new file whose creation was interrupted', () => {
  it('is no lost file: nothing is set aside', () => {
    const path = interrupted();
    const file = claimed(path);
    expect([file.setAside, file.state.memory().isBlank]).toEqual([undefined, true]);
    file.close();
    expect(namesBeside(path)).toEqual(['machine.db', 'machine.db-poller']);
  });

  it('is created by a command, too', () => {
    const path = interrupted();
    const read = (): unknown => caught(() => openMachineFile(path, { mode: 'read' }));
    expect(read()).toEqual(['missing', `"${path}": it is empty`]);
    openMachineFile(path).close();
    expect(namesBeside(path)).toEqual(['machine.db']);
  });

  it('is a lost file if it is emptied later', () => {
    const path = interrupted();
    claimed(path).close();
    writeFileSync(path, '');
    expect(claimed(path).setAside?.because).toBe(`"${path}": it is empty`);
  });
});

it('[T112] a transaction that was interrupted before there is a write-ahead log is undone', () => {
  const first = claimed();
  const { path, state } = first;
  state.report(LIDAR, '1.0.0', 1);
  commitOne(state);
  first.close();
  const database = new DatabaseSync(path);
  // So little memory that SQLite writes into the file before the commit.
  database.exec(`PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; DELETE FROM actions;
    CREATE TABLE filling (bytes); INSERT INTO filling VALUES (zeroblob(100000))`);
  const copy = `${temporaryFolder()}/machine.db`;
  for (const suffix of ['', '-journal']) copyFileSync(path + suffix, copy + suffix);
  const size = readFileSync(copy).length;
  database.exec('ROLLBACK');
  database.close();
  expect(size).toBeGreaterThan(readFileSync(path).length);
  const file = claimed(copy);
  expect([file.setAside, running(file.state), file.state.memory().open.length]).toEqual([
    undefined,
    '1.0.0 after nothing',
    1,
  ]);
});
