import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DatabaseError } from './database-error.ts';
import { translated } from './database.ts';
import { isThere } from './is-there.ts';
import { createPrivate } from './private-file.ts';

/** Keeps lock databases referenced: garbage collection would close them and release their locks. */
const HELD = new Set<DatabaseSync>();

/**
 * Locks the empty file at `path`, which is created in its folder if it does not exist, until the returned function is called.
 * The operating system releases the lock when the process ends, even after a crash, so no lock is ever stale.
 * Throws a DatabaseError: `locked` if another process, or this one, still holds the lock after `busyTimeoutMs`.
 */
export function holdExclusively(path: string, busyTimeoutMs: number): () => void {
  return translated(path, () => {
    if (!isThere(path)) createPrivate(path);
    const database = new DatabaseSync(pathToFileURL(path), { timeout: busyTimeoutMs });
    try {
      // Only the lock is needed. Nothing is written, so this works even on a full disk (T344). Node does not permit OFF.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      throw error;
    }
    HELD.add(database);
    return () => {
      HELD.delete(database);
      if (database.isOpen) database.close();
    };
  });
}

/**
 * Whether a process holds the lock at `path`. It is read for a moment, and neither created nor taken, so a process that is
 * about to take it only waits.
 */
export function isHeld(path: string): boolean {
  try {
    translated(path, () => {
      if (!isThere(path)) return;
      const database = new DatabaseSync(pathToFileURL(path), { readOnly: true, timeout: 0 });
      try {
        database.prepare('SELECT count(*) FROM sqlite_schema').get();
      } finally {
        database.close();
      }
    });
    return false;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'locked') return true;
    throw error;
  }
}
