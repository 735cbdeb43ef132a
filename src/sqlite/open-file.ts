import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

import { addChecksumFunction } from './row-checksum.ts';

/** More than any value that modreg stores. A damaged or crafted record may claim a gigabyte (T91). */
const LARGEST_VALUE = 256 * 1024 * 1024;

/** Opens a SQLite file that anybody may have written: the functions and tables that its schema may use are restricted. */
export function openFile(url: URL, options: DatabaseSyncOptions): DatabaseSync {
  const database = new DatabaseSync(url, {
    ...options,
    defensive: true,
    limits: { length: LARGEST_VALUE },
  });
  try {
    addChecksumFunction(database);
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
