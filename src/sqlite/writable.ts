import { statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from './database-error.ts';
import { IN_MEMORY, isReadOnly, translated } from './database.ts';

/** A transaction of modreg needs less. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Throws a DatabaseError if the open file at `path` cannot be written now. Writes nothing: it takes the write lock and returns it. */
export function expectWritable(database: DatabaseSync, path: string): void {
  translated(path, () => {
    if (path !== IN_MEMORY) {
      if (isReadOnly(path)) {
        const found = `${quote(path)}: the file or its folder cannot be written`;
        throw new DatabaseError('unwritable', found);
      }
      const { blocks, bavail, bsize } = statfsSync(path);
      const free = bavail * bsize;
      // A file system that does not count has no blocks.
      if (blocks > 0 && free < LEAST_FREE_BYTES) {
        const found = `${quote(path)}: the disk has only ${free} bytes left`;
        throw new DatabaseError('unwritable', found);
      }
    }
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
  });
}
