import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { numberIn, type Expected } from '../core/text/argument.ts';
import { quote } from '../core/text/quote.ts';
import { asDatabaseError, foundTwice, DatabaseError } from './database-error.ts';
import { checkSchema } from './expected-schema.ts';
import { isThere } from './is-there.ts';
import { makeFolderOf } from './make-folder.ts';
import { addChecksumFunction } from './row-checksum.ts';
import { hasNoSpace, heldByOther, isLocked, isWithoutSpace, openAlone } from './full-disk.ts';
import { openFile } from './open-file.ts';
import { isUsable, oldestReaderIn, schemaIn, upgradeSchema, type Layout } from './schema.ts';
import { createPrivate } from './private-file.ts';
import { leaveSharedMemory } from './shared-memory.ts';
import { copyBeforeUpgrade, usableCopy } from './upgrade-copy.ts';

/** How a file is opened. */
export interface Opening {
  /**
   * `create` creates the file and its folder if they do not exist; `read` refuses each change, and also accepts a file or a
   * folder that cannot be written; `inspect` is `read` that changes no file, not even those that SQLite keeps beside it (T122).
   */
  readonly mode: 'create' | 'write' | 'read' | 'inspect';
  /** How long a statement waits for another process to release the file, in milliseconds. */
  readonly busyTimeoutMs: number;
  /**
   * Called before an upgrade that programs of the file's schema do not understand. Throws if one of them uses the file;
   * returns how to let them use it again.
   */
  readonly holdOff?: () => () => void;
}

/** A `busyTimeoutMs` that no compiler checked. */
export const BUSY_TIMEOUT: Expected = numberIn(
  (ms) => Number.isInteger(ms) && ms >= 0,
  'whole milliseconds from 0',
);

/** The path of a new database in memory, which nothing else can open and which is gone once it is closed. */
export const IN_MEMORY = ':memory:';

/**
 * Opens a SQLite file and brings its schema up to date. A file of a later schema that programs with `layout` understand
 * is used as it is; any other one stays unchanged, and is an error of the kind `later-schema` (T71). A commit is on the
 * disk when it returns. Throws a `DatabaseError`. The path `:memory:` is a new database in memory.
 */
export function openDatabase(path: string, layout: Layout, opening: Opening): DatabaseSync {
  if (path === IN_MEMORY) return openInMemory(layout, opening);
  return foundTwice(() => openOnDisk(path, layout, opening));
}

function openOnDisk(path: string, layout: Layout, opening: Opening): DatabaseSync {
  return translated(path, () => {
    const isNew = !isThere(path);
    if (isNew && opening.mode !== 'create') {
      throw new DatabaseError('missing', `${quote(path)}: there is no such file`);
    }
    if (isNew) createBlank(path);
    // SQLite gives some names a special meaning, such as `:memory:`. A file URL has none.
    const file = pathToFileURL(path);
    const isInspected = opening.mode === 'inspect';
    const readOnly = !isNew && (isInspected || isReadOnly(path));
    if (readOnly && !isInspected && opening.mode !== 'read') {
      throw new DatabaseError(
        'unwritable',
        `${quote(path)}: the file or its folder cannot be written`,
      );
    }
    // SQLite ignores the write-ahead log of an immutable file, so the file must not have one.
    if (readOnly && !isThere(`${path}-wal`)) file.searchParams.set('immutable', '1');
    else if (isInspected) leaveSharedMemory(file, path);
    return openedOnDisk(file, path, { ...opening, layout, readOnly });
  });
}

function openedOnDisk(file: URL, path: string, preparing: Preparing): DatabaseSync {
  const { busyTimeoutMs: timeout, readOnly } = preparing;
  try {
    return prepared(openFile(file, { timeout, readOnly }), path, preparing);
  } catch (error) {
    if (isLocked(error) && hasNoSpace(path)) throw heldByOther(error, path);
    if (readOnly || !isWithoutSpace(error)) throw error;
    return prepared(openAlone(file, { timeout }), path, preparing);
  }
}

type Preparing = Opening & { readonly layout: Layout; readonly readOnly: boolean };

/** Prepares a connection, and closes it if that fails. */
function prepared(database: DatabaseSync, path: string, preparing: Preparing): DatabaseSync {
  try {
    prepare(database, path, preparing);
    const { readOnly, mode } = preparing;
    if (!readOnly && mode !== 'read') rmSync(markerOf(path), { force: true });
    return database;
  } catch (error) {
    if (isLater(error)) closeUnchanged(database, path);
    else database.close();
    throw error;
  }
}

/** An empty file, which is marked as one that never had content until it has some (T111). */
function createBlank(path: string): void {
  makeFolderOf(path);
  accessSync(dirname(resolve(path)), constants.W_OK);
  createPrivate(markerOf(path));
  createPrivate(path);
}

/** Whether the empty file at `path` never had content: its creation was interrupted, or failed. */
export function isUnfinished(path: string): boolean {
  return isThere(markerOf(path));
}

function markerOf(path: string): string {
  return `${path}.creating`;
}

/** It is always new and has no log, so the timeout does not matter. */
function openInMemory(layout: Layout, { mode }: Pick<Opening, 'mode'>): DatabaseSync {
  const database = new DatabaseSync(IN_MEMORY);
  addChecksumFunction(database);
  database.exec('PRAGMA foreign_keys = ON');
  transaction(database, () => upgradeSchema(database, layout, 0));
  if (mode === 'read') database.exec(READ_ONLY);
  return database;
}

/** Whether the file or its folder, where SQLite creates its log, cannot be written. */
export function isReadOnly(path: string): boolean {
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

function isLater(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'later-schema';
}

/** Closes the database at `path` without moving its write-ahead log into the file. */
export function closeUnchanged(database: DatabaseSync, path: string): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log?.size) return database.close();
  // Only the last connection moves the log, and this one cannot write.
  const last = new DatabaseSync(pathToFileURL(path), { readOnly: true });
  schemaIn(last);
  database.close();
  last.close();
}

function prepare(database: DatabaseSync, path: string, opening: Preparing): void {
  const { layout, readOnly, mode } = opening;
  // Another process may upgrade the file meanwhile.
  const version = snapshot(database, () => ownVersion(database, path, layout));
  const known = layout.migrations.length;
  const isRead = mode === 'read' || mode === 'inspect';
  if (readOnly && mode !== 'inspect') {
    if (version >= known) return;
    throw new DatabaseError(
      'unwritable',
      `${quote(path)}: it is read-only, and its schema needs an upgrade`,
    );
  }
  if (isRead && version < known) {
    const found =
      version === 0
        ? 'it is empty'
        : `its schema is ${version}; the next process that writes to it upgrades it to ${known}`;
    throw new DatabaseError('missing', `${quote(path)}: ${found}`);
  }
  if (readOnly) return;
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  if (mode === 'read') database.exec(READ_ONLY);
  else if (version < known) upgrade(database, path, opening);
  else expectOpenedToWrite(database, path, opening);
}

/** Refuses each change (T310). The connection can still write the files that SQLite keeps beside the database, which a reader needs. */
const READ_ONLY = 'PRAGMA query_only = ON';

/** Where the system does not open a file to write, SQLite opens it to read, and would refuse each change (T121). Waits for no lock. */
function expectOpenedToWrite(
  database: DatabaseSync,
  path: string,
  { busyTimeoutMs }: Pick<Opening, 'busyTimeoutMs'>,
): void {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    // Takes the write lock, and writes nothing: there is nothing to vacuum. BEGIN IMMEDIATE would be content to read.
    translated(path, () => database.exec('PRAGMA incremental_vacuum'));
  } catch (error) {
    if (!(error instanceof DatabaseError && error.kind === 'locked')) throw error;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

function upgrade(
  database: DatabaseSync,
  path: string,
  { layout, holdOff }: Pick<Opening, 'holdOff'> & { readonly layout: Layout },
): void {
  let release: (() => void) | undefined;
  try {
    transaction(database, () => {
      // Another process, even a later modreg, may have upgraded the schema in the meantime.
      const from = ownVersion(database, path, layout);
      if (from >= layout.migrations.length) return;
      if (from > 0 && from < layout.oldestReader) {
        release = holdOff?.();
        copyBeforeUpgrade(path, from);
      }
      upgradeSchema(database, layout, from);
    });
  } finally {
    release?.();
  }
}

/** The version of the schema; 0 for an empty file. Throws if programs with `layout` cannot use the file. */
function ownVersion(database: DatabaseSync, path: string, layout: Layout): number {
  const file = schemaIn(database);
  if (file.isEmpty) return 0;
  if (file.applicationId !== layout.applicationId) {
    throw new DatabaseError('unreadable', `${quote(path)}: it is a SQLite file of another program`);
  }
  if (file.version === 0) {
    throw new DatabaseError('unreadable', `${quote(path)}: its schema has no version`);
  }
  if (isUsable(database, layout)) {
    checkSchema(database, { path, layout, version: file.version });
    return file.version;
  }
  const known = layout.migrations.length;
  const found = `it has schema ${file.version}, for programs that know ${oldestReaderIn(database)} or later, and this modreg knows ${known}`;
  throw laterSchema(path, layout, found);
}

/** The error for a file of a later schema that programs with `layout` cannot use, and leave as it is (T71). */
export function laterSchema(path: string, layout: Layout, found: string): DatabaseError {
  const copy = usableCopy(path, layout);
  const choice = copy === undefined ? '' : `, or restore the copy ${quote(copy)}`;
  const advice = `nothing was changed: use the later modreg again${choice}`;
  return new DatabaseError('later-schema', `${quote(path)}: ${found}; ${advice}`);
}
