import type { Layout } from '../sqlite/schema.ts';

/** The tables of a log. Migrations are never changed. */
export const LOG_LAYOUT: Layout = {
  // "mlog"
  applicationId: 0x6d6c6f67,
  oldestReader: 1,
  migrations: [
    `
    CREATE TABLE records (
      -- Never used again, so that a reader can ask for what follows.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      severity INTEGER NOT NULL,
      module TEXT,
      text TEXT NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;
    -- The order in which records are dropped, with their sizes.
    CREATE INDEX records_by_severity ON records (severity, id, bytes);

    -- How many records were dropped for others, and the time of the newest one.
    CREATE TABLE dropped (
      id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, newest_at INTEGER NOT NULL
    ) STRICT;
    `,
  ],
};
