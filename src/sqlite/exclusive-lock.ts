import { chmodSync, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder, translated } from './database.ts';

/** A database that nobody refers to is closed, and its lock is gone. */
const HELD = new Set<DatabaseSync>();

/**
 * Holds the empty file at `path`, which is made where there is none, until the function that is given back is
 * called. The system lets go of it when the process ends, however it ends: no lock is ever stale. Throws a
 * DatabaseError, `locked` where another process, or this one, still holds it after `patienceMs`.
 */
export function holdExclusively(path: string, patienceMs: number): () => void {
  return translated(path, () => {
    const isNew = !existsSync(path);
    if (isNew) makeFolder(dirname(resolve(path)));
    const database = new DatabaseSync(pathToFileURL(path), { timeout: patienceMs });
    try {
      if (isNew) chmodSync(path, 0o600);
      // Nothing is written: the lock is all that is wanted, and a full disk has room for it.
      database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
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
