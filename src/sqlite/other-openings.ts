import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { translated } from './database.ts';

/** Opens a file that no process changes, for reading. SQLite creates no files beside it. Throws a DatabaseError. */
export function openCopy(path: string): DatabaseSync {
  return translated(path, () => {
    const file = pathToFileURL(path);
    file.searchParams.set('immutable', '1');
    return new DatabaseSync(file, { readOnly: true });
  });
}

/** Opens a file as it is: without a look at its schema. Throws a DatabaseError. */
export function openUnchecked(path: string, busyTimeoutMs: number): DatabaseSync {
  return translated(path, () => new DatabaseSync(pathToFileURL(path), { timeout: busyTimeoutMs }));
}
