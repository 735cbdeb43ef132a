import type { Layout } from '../../sqlite/schema.ts';

/** The tables of the logs of machines. Migrations are never changed. */
export const SITE_LOG_LAYOUT: Layout = {
  // "rlog"
  applicationId: 0x726c6f67,
  oldestReader: 1,
  migrations: [
    `
    CREATE TABLE machines (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      -- Of all its records, and of its warnings and errors.
      bytes INTEGER NOT NULL DEFAULT 0,
      severe_bytes INTEGER NOT NULL DEFAULT 0,
      -- How many records were dropped for later ones, and the time of the newest one.
      dropped INTEGER NOT NULL DEFAULT 0,
      dropped_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE records (
      -- In the order of their arrival. Never used again, so that a reader can ask for what is before.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      machine INTEGER NOT NULL REFERENCES machines (id),
      uid BLOB NOT NULL,
      -- What the clock of the machine said.
      at INTEGER NOT NULL,
      -- The same, or when the record was received if that cannot be right.
      known_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      severity INTEGER NOT NULL,
      module TEXT,
      version TEXT,
      event TEXT,
      text TEXT NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;
    -- A record that is sent again is known.
    CREATE UNIQUE INDEX records_by_uid ON records (machine, uid);
    -- The order in which those of a machine are read and dropped.
    CREATE INDEX records_by_machine ON records (machine, id, severity, bytes);
    `,
  ],
};
