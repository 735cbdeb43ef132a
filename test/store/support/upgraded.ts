import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Layout } from '../../../src/sqlite/schema.ts';
import { claimFile } from '../../../src/store/claim.ts';
import type { ClaimedFile } from '../../../src/store/index.ts';
import { LAYOUT } from '../../../src/store/machine-layout.ts';
import { commitOne, LIDAR } from '../../support/claimed.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LATER, TODAY } from '../../support/later-layouts.ts';

/** A poller's file, opened by a modreg with `layout`. */
export function claimedBy(layout: Layout, path = `${temporaryFolder()}/machine.db`): ClaimedFile {
  const file = claimFile(path, layout);
  onTestFinished(() => file.close());
  return file;
}

/** The path of a closed file with 1.0.0 deployed and an open action, which a modreg with `layout` wrote. */
export function remembered(layout: Layout = LAYOUT): string {
  const file = claimedBy(layout);
  file.state.report(LIDAR, '1.0.0', 1);
  commitOne(file.state);
  file.close();
  return file.path;
}

/** The path of a file as a killed process leaves it: 1.1.0 deployed, and the changes of `sql`, in its write-ahead log. */
export function crashed(layout: Layout, sql = ''): string {
  const { path, state, database } = claimedBy(layout, remembered(layout));
  state.report(LIDAR, '1.1.0', 2);
  database.exec(sql);
  const copy = `${temporaryFolder()}/machine.db`;
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

/** A file of schema 3, as its programs wrote it. */
export function makeEarlier(path: string): void {
  const database = new DatabaseSync(path);
  for (const migration of LAYOUT.migrations.slice(0, 3)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${LAYOUT.applicationId}; PRAGMA user_version = 3`);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

/** What today's modreg reports about a file of `BREAKING`. */
export const REFUSED: string = `it has schema ${LATER}, for programs that know ${LATER} or later, and this modreg knows ${TODAY}; nothing was changed: use the later modreg again`;

/** The rows that `sql` finds in the file at `path`. */
export function rows(path: string, sql: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  } finally {
    database.close();
  }
}

/** The names of the files beside `path`, without those that SQLite needs to read it. */
export function namesBeside(path: string): string[] {
  return readdirSync(dirname(path)).filter(
    (name) => !/-(wal|shm|poller|poller-journal)$/.test(name),
  );
}

/** Removes what SQLite keeps beside the file, as an operator does who restores a copy. */
export function removeLog(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}
