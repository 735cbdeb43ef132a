import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isWithoutSpace, openAlone } from './full-disk.ts';
import { isThere } from './is-there.ts';
import { openFile } from './open-file.ts';

/**
 * The first error that SQLite finds in the file at `path`, or `ok`. Writes nothing, not even a checkpoint, unless a first start
 * was interrupted: only a connection that may write can undo that (T112), or read on a full disk (T344).
 */
export function integrityOf(path: string): string {
  const readOnly = !isThere(`${path}-journal`);
  const file = pathToFileURL(path);
  try {
    return integrityIn(openFile(file, { readOnly }));
  } catch (error) {
    if (!isWithoutSpace(error)) throw error;
    return integrityIn(openAlone(file, {}));
  }
}

/** Closes the connection afterwards. */
function integrityIn(database: DatabaseSync): string {
  try {
    // Unlike quick_check, this also compares each index with its table.
    return String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  } finally {
    database.close();
  }
}
