import { statSync, type BigIntStats } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from './database-error.ts';
import { IN_MEMORY, translated } from './database.ts';

/**
 * How to check that the file that is at `path` now is still there. The check throws a DatabaseError of the kind `missing` if
 * another file, or none, is at the path: a change to the opened file would then be lost. Otherwise it returns what the
 * system says about the file; nothing for a database in memory, which is always in place. The inode of an open file is
 * not used again.
 */
export function inPlaceCheck(path: string): () => BigIntStats | undefined {
  if (path === IN_MEMORY) return () => undefined;
  const absolute = resolve(path);
  const { ino, dev } = translated(path, () => statSync(absolute, { bigint: true }));
  return () => {
    const now = translated(path, () => statSync(absolute, { bigint: true, throwIfNoEntry: false }));
    if (now?.ino === ino && now.dev === dev) return now;
    throw new DatabaseError('missing', `${quote(path)}: the file was replaced or removed`, {
      file: path,
    });
  };
}
