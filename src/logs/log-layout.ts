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
    `
    -- What happened, such as modreg.module.started; null for a line that reports no event.
    ALTER TABLE records ADD COLUMN event TEXT;
    -- The version of the module.
    ALTER TABLE records ADD COLUMN version TEXT;

    -- How far the records were sent to a collector.
    CREATE TABLE delivery (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Random: tells the records of this file from those of others.
      log_id TEXT NOT NULL,
      -- The collector; null if none is configured.
      endpoint TEXT,
      -- The last record that was sent or set aside.
      position INTEGER NOT NULL DEFAULT 0,
      -- When records were sent last.
      sent_at INTEGER,
      -- How many records were dropped before they were sent, the time of the newest one, and how many were reported.
      dropped INTEGER NOT NULL DEFAULT 0,
      dropped_at INTEGER NOT NULL DEFAULT 0,
      dropped_reported INTEGER NOT NULL DEFAULT 0,
      -- How many records the collector refused one by one, and as parts of batches.
      set_aside INTEGER NOT NULL DEFAULT 0,
      rejected INTEGER NOT NULL DEFAULT 0,
      -- Why records wait; null if nothing is wrong.
      trouble TEXT
    ) STRICT;
    INSERT INTO delivery (id, log_id) VALUES (1, lower(hex(randomblob(16))));
    `,
  ],
};
