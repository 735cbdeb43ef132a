import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { quote } from '../core/quote.ts';
import { asDatabaseError, DatabaseError } from './database-error.ts';

/** What makes a file one of a program's own, and brings it up to date. */
export interface Layout {
  /** SQLite's `application_id`: a file with another one belongs to another program. */
  readonly applicationId: number;
  /** SQL that leads from each version of the schema to the next, beginning with an empty file. */
  readonly migrations: readonly string[];
}

/** How long a statement waits for another process to let go of the file. */
const PATIENCE_MS = 5000;

/**
 * Opens a SQLite file and brings its schema up to date; `create` makes the file, and its folder, where
 * there is none. A commit is on the disk when it returns. Throws a `DatabaseError`.
 */
export function openDatabase(
  path: string,
  layout: Layout,
  { create }: { readonly create: boolean },
): DatabaseSync {
  const isNew = !existsSync(path);
  if (isNew && !create) throw new DatabaseError('missing', `${quote(path)}: there is no such file`);
  return translated(path, () => {
    if (isNew) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(path, { timeout: PATIENCE_MS });
    try {
      if (isNew) chmodSync(path, 0o600);
      prepare(database, path, layout);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Runs `work`, and throws what SQLite throws in it as a `DatabaseError` that names `path`. */
export function translated<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseError(error, path);
  }
}

/** Runs `work` on one state of the file, whatever other processes write meanwhile. */
export function snapshot<T>(database: DatabaseSync, work: () => T): T {
  return within(database, 'BEGIN', work);
}

/** Runs `work` as one transaction, which begins as a writer so that it never has to start again. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  return within(database, 'BEGIN IMMEDIATE', work);
}

function within<T>(database: DatabaseSync, begin: string, work: () => T): T {
  database.exec(begin);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk rolls back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function prepare(database: DatabaseSync, path: string, layout: Layout): void {
  checkOwner(database, path, layout);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const version = pragma(database, 'user_version');
  if (version === layout.migrations.length) return;
  transaction(database, () => {
    // Another process may have been faster.
    const from = pragma(database, 'user_version');
    for (const migration of layout.migrations.slice(from)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${layout.applicationId}`);
    database.exec(`PRAGMA user_version = ${layout.migrations.length}`);
  });
}

/** Throws unless the file is empty or one of ours, and not from the future. */
function checkOwner(database: DatabaseSync, path: string, layout: Layout): void {
  const owner = pragma(database, 'application_id');
  const isEmpty = pragma(database, 'schema_version') === 0;
  if (!isEmpty && owner !== layout.applicationId) {
    throw new DatabaseError('unreadable', `${quote(path)}: a SQLite file of another program`);
  }
  const version = pragma(database, 'user_version');
  if (version > layout.migrations.length) {
    const known = `this modreg knows schemas up to ${layout.migrations.length}`;
    throw new DatabaseError(
      'later-schema',
      `${quote(path)}: its schema is ${version}, and ${known}`,
    );
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
