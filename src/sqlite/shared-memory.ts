import { quote } from '../core/text/quote.ts';
import { DatabaseError } from './database-error.ts';
import { isThere } from './is-there.ts';

/**
 * Has the file at `path`, which has a write-ahead log, opened so that SQLite does not write to the shared memory beside it, or
 * create it (T122). Throws a DatabaseError if there is none.
 */
export function leaveSharedMemory(file: URL, path: string): void {
  if (!isThere(`${path}-shm`)) {
    const message = `${quote(path)}: it has a write-ahead log, but no ${quote(`${path}-shm`)} to read it with; the next process that writes creates it`;
    throw new DatabaseError('missing', message);
  }
  file.searchParams.set('readonly_shm', '1');
}
