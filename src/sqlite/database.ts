import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { quote } from '../core/text/quote.ts';
import { asDatabaseError, DatabaseError } from './database-error.ts';

/** What makes a file one of a program's own, and brings it up to date. */
export interface Layout {
  /** SQLite's `application_id`: a file with another one belongs to another program. */
  readonly applicationId: number;
  /** SQL that leads from each version of the schema to the next, beginning with an empty file. */
  readonly migrations: readonly string[];
}

/** How a file is opened. */
export interface Opening {
  /**
   * `create` makes the file, and the folder around it, where there is none; `read` is content with a file
   * and a folder that cannot be written.
   */
  readonly mode: 'create' | 'write' | 'read';
  /** How long a statement waits for another process to let go of the file, in milliseconds. */
  readonly patienceMs: number;
}

/**
 * Opens a SQLite file and brings its schema up to date. A commit is on the disk when it returns. Throws
 * a `DatabaseError`.
 */
export function openDatabase(path: string, layout: Layout, opening: Opening): DatabaseSync {
  const isNew = !existsSync(path);
  if (isNew && opening.mode !== 'create') {
    throw new DatabaseError('missing', `${quote(path)}: there is no such file`);
  }
  return translated(path, () => {
    if (isNew) {
      makeFolder(dirname(resolve(path)));
      accessSync(dirname(resolve(path)), constants.W_OK);
    }
    // As a path it begins with a slash, and is no name that means something to SQLite.
    const file = pathToFileURL(path);
    const isFixed = !isNew && isReadOnly(path);
    if (isFixed && opening.mode !== 'read') {
      throw new DatabaseError('unwritable', `${quote(path)}: it, or its folder, cannot be written`);
    }
    // An immutable file is read without its log: only where there is none does that lose nothing.
    if (isFixed && !existsSync(`${path}-wal`)) file.searchParams.set('immutable', '1');
    const database = new DatabaseSync(file, { timeout: opening.patienceMs, readOnly: isFixed });
    try {
      if (isNew) chmodSync(path, 0o600);
      prepare(database, path, { ...layout, isFixed, mode: opening.mode });
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** What SQLite finds wrong with the file at `path`, or `ok`. Nothing is written, not even its own log into it. */
export function integrityOf(path: string): string {
  const database = new DatabaseSync(pathToFileURL(path), { readOnly: true });
  try {
    // Beside what the quick one finds: an index that says otherwise than its table.
    return String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  } finally {
    database.close();
  }
}

/** One folder and not those around it: some file systems make Node try for ever. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether neither the file nor what SQLite puts beside it can be written. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(resolve(path)), constants.W_OK);
    return false;
  } catch {
    return true;
  }
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

function prepare(
  database: DatabaseSync,
  path: string,
  {
    applicationId,
    migrations,
    isFixed,
    mode,
  }: Layout & Pick<Opening, 'mode'> & { readonly isFixed: boolean },
): void {
  const version = ownVersion(database, path, { applicationId, migrations });
  if (isFixed) {
    if (version === migrations.length) return;
    throw new DatabaseError('unwritable', `${quote(path)}: it is read-only, and needs an update`);
  }
  if (mode === 'read' && version < migrations.length) {
    const found = version === 0 ? 'there is nothing in it yet' : `its schema is ${version}`;
    const expected =
      version === 0 ? '' : `, and whoever writes it brings it to ${migrations.length}`;
    throw new DatabaseError('missing', `${quote(path)}: ${found}${expected}`);
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  if (version === migrations.length) return;
  transaction(database, () => {
    // Another process may have been faster.
    const from = pragma(database, 'user_version');
    for (const migration of migrations.slice(from)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** The version of the schema. Throws unless the file is empty or one of ours, and not from the future. */
function ownVersion(database: DatabaseSync, path: string, layout: Layout): number {
  const owner = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  const isEmpty = pragma(database, 'schema_version') === 0 && version === 0;
  if (isEmpty) return 0;
  if (owner !== layout.applicationId) {
    throw new DatabaseError('unreadable', `${quote(path)}: a SQLite file of another program`);
  }
  if (version > layout.migrations.length) {
    const known = `this modreg knows schemas up to ${layout.migrations.length}`;
    throw new DatabaseError(
      'later-schema',
      `${quote(path)}: its schema is ${version}, and ${known}`,
    );
  }
  if (version > 0) return version;
  throw new DatabaseError('unreadable', `${quote(path)}: its schema has no version`);
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
