import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, type Layout, type Opening } from '../sqlite/database.ts';
import { statementsOf, type Statements } from '../sqlite/statements.ts';

/** What a machine remembers, in one SQLite file. */
export interface MachineFile {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly sql: Statements;
  /** Doing so again does nothing. */
  close(): void;
}

const PATIENCE_MS = 5000;

/** The machine's tables. A migration is never changed, only followed by another. */
const LAYOUT: Layout = {
  // "mmac"
  applicationId: 0x6d6d6163,
  migrations: [
    `
    CREATE TABLE saved_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address TEXT NOT NULL,
      module_id TEXT NOT NULL,
      confirmed_at INTEGER NOT NULL,
      sequence INTEGER,
      generation INTEGER,
      digest TEXT NOT NULL,
      size INTEGER NOT NULL,
      kept INTEGER NOT NULL,
      etag TEXT,
      UNIQUE (address, module_id)
    ) STRICT;

    -- Apart, because a confirmation would write it anew.
    CREATE TABLE saved_contents (
      list INTEGER PRIMARY KEY REFERENCES saved_lists ON DELETE CASCADE,
      content TEXT NOT NULL
    ) STRICT;
    `,
  ],
};

/**
 * Opens the file at `path`, by default making one where there is none. While another process writes, a
 * method waits five seconds, and so does everything else in this process. Throws a `DatabaseError`.
 */
export function openMachineFile(
  path: string,
  { mode = 'create', patienceMs = PATIENCE_MS }: Partial<Opening> = {},
): MachineFile {
  const database = openDatabase(path, LAYOUT, { mode, patienceMs });
  return {
    path,
    database,
    sql: statementsOf(database, path),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
