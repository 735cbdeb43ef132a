import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { quote } from '../core/text/quote.ts';
import { DatabaseError, diskErrorCode } from './database-error.ts';
import { openFile } from './open-file.ts';

/** What SQLite needs to open a file, and to write to it a few times. */
const NEEDED_BYTES = 131_072;
/** SQLite's code of a file that another connection has locked. */
const BUSY = 5;

/** How much the disk of the file at `path` has free; undefined if the system does not say. */
export function freeBytesFor(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether the disk of the file at `path` has too little space to open it as usual. */
export function hasNoSpace(path: string): boolean {
  const free = freeBytesFor(path);
  return free !== undefined && free < NEEDED_BYTES;
}

/**
 * Opens a SQLite file for this connection alone, until `shareAgain`: SQLite then keeps in memory what it otherwise writes beside the
 * file, so a full disk does not prevent it (T344).
 */
export function openAlone(url: URL, { timeout = 0 }: DatabaseSyncOptions): DatabaseSync {
  const database = openFile(url, { timeout });
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  return database;
}

/** Lets others use the file of a connection again that `openAlone` opened. Throws if the disk is still full. */
export function shareAgain(database: DatabaseSync): void {
  const { locking_mode: mode } = database.prepare('PRAGMA locking_mode').get() ?? {};
  // The mode of the lock can only change without a write-ahead log.
  if (mode === 'exclusive')
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL');
  database.exec('PRAGMA journal_mode = WAL');
}

/** SQLite's code of a disk without space for the shared memory beside a file. */
const NO_SHARED_MEMORY = 4874;

/** Whether SQLite could not open a file because its disk is full. */
export function isWithoutSpace(error: unknown): boolean {
  return Object(error).errcode === NO_SHARED_MEMORY;
}

/** Whether another connection has the file locked. */
export function isLocked(error: unknown): boolean {
  return (Number(Object(error).errcode) & 0xff) === BUSY;
}

/** The error for a file on a full disk that another process has opened with `openAlone`. */
export function heldByOther(cause: unknown, path: string): DatabaseError {
  const message = `${quote(path)}: its disk is full, so the process that uses it, such as the agent, has it for itself; nothing is lost: free some space`;
  return new DatabaseError('locked', message, { file: path, cause });
}
