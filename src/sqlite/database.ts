import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { quote } from '../core/text/quote.ts';
import { asDatabaseError, DatabaseError } from './database-error.ts';

/** The type of a program's SQLite files, and its schema. */
export interface Layout {
  /** SQLite's `application_id`: a file with a different one belongs to another program. */
  readonly applicationId: number;
  /** SQL that upgrades each version of the schema to the next, starting from an empty file. */
  readonly migrations: readonly string[];
}

/** How a file is opened. */
export interface Opening {
  /**
   * `create` creates the file and its folder if they do not exist; `read` also accepts a file or a folder that
   * cannot be written.
   */
  readonly mode: 'create' | 'write' | 'read';
  /** How long a statement waits for another process to release the file, in milliseconds. */
  readonly busyTimeoutMs: number;
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
    // SQLite gives some names a special meaning, such as `:memory:`. A file URL has none.
    const file = pathToFileURL(path);
    const readOnly = !isNew && isReadOnly(path);
    if (readOnly && opening.mode !== 'read') {
      throw new DatabaseError(
        'unwritable',
        `${quote(path)}: the file or its folder cannot be written`,
      );
    }
    // SQLite ignores the write-ahead log of an immutable file, so the file must not have one.
    if (readOnly && !existsSync(`${path}-wal`)) file.searchParams.set('immutable', '1');
    const database = new DatabaseSync(file, { timeout: opening.busyTimeoutMs, readOnly });
    try {
      if (isNew) chmodSync(path, 0o600);
      prepare(database, path, { ...layout, readOnly, mode: opening.mode });
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** The first error that SQLite finds in the file at `path`, or `ok`. Writes nothing, not even a checkpoint. */
export function integrityOf(path: string): string {
  const database = new DatabaseSync(pathToFileURL(path), { readOnly: true });
  try {
    // Unlike quick_check, this also compares each index with its table.
    return String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  } finally {
    database.close();
  }
}

/** Creates one folder, not its parents: on some file systems, a recursive mkdir in Node never ends. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether the file or its folder, where SQLite creates its log, cannot be written. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(resolve(path)), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Runs `work`; converts errors of SQLite to a `DatabaseError` that names `path`. */
export function translated<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseError(error, path);
  }
}

/** Runs `work` on a snapshot of the file, unaffected by writes of other processes. */
export function snapshot<T>(database: DatabaseSync, work: () => T): T {
  return within(database, 'BEGIN', work);
}

/** Runs `work` as one write transaction. It takes the write lock first, so `work` never has to be retried. */
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
    // SQLite rolls back automatically when the disk is full.
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
    readOnly,
    mode,
  }: Layout & Pick<Opening, 'mode'> & { readonly readOnly: boolean },
): void {
  const version = ownVersion(database, path, { applicationId, migrations });
  if (readOnly) {
    if (version === migrations.length) return;
    throw new DatabaseError(
      'unwritable',
      `${quote(path)}: it is read-only, and its schema needs an upgrade`,
    );
  }
  if (mode === 'read' && version < migrations.length) {
    const found =
      version === 0
        ? 'it is empty'
        : `its schema is ${version}; the next process that writes to it upgrades it to ${migrations.length}`;
    throw new DatabaseError('missing', `${quote(path)}: ${found}`);
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  if (version === migrations.length) return;
  transaction(database, () => {
    // Another process may have upgraded the schema in the meantime.
    const from = pragma(database, 'user_version');
    for (const migration of migrations.slice(from)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** The version of the schema; 0 for an empty file. Throws if the file is not modreg's or its schema is newer. */
function ownVersion(database: DatabaseSync, path: string, layout: Layout): number {
  const owner = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  const isEmpty = pragma(database, 'schema_version') === 0 && version === 0;
  if (isEmpty) return 0;
  if (owner !== layout.applicationId) {
    throw new DatabaseError('unreadable', `${quote(path)}: it is a SQLite file of another program`);
  }
  if (version > layout.migrations.length) {
    const known = `this modreg reads schemas up to ${layout.migrations.length}`;
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
