import type { Layout } from '../sqlite/schema.ts';

/** The tables of the queue of a machine's reports. Migrations are never changed. */
export const OUTBOUND_LAYOUT: Layout = {
  // "mout"
  applicationId: 0x6d6f7574,
  oldestReader: 1,
  migrations: [
    `
    CREATE TABLE outcomes (
      -- Never used again: the registry counts each number once.
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      is_info INTEGER NOT NULL,
      -- 1 once the registry refused it three times.
      is_aside INTEGER NOT NULL DEFAULT 0,
      content TEXT NOT NULL
    ) STRICT;
    -- The order in which outcomes are dropped.
    CREATE INDEX outcomes_by_weight ON outcomes (is_info, number);

    -- The actions whose outcomes were added: more than machine.db has.
    CREATE TABLE taken (
      place INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE queue (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Random: tells the numbers of this queue from those of others.
      queue TEXT NOT NULL,
      -- 1 once the actions that had ended before were taken.
      has_begun INTEGER NOT NULL DEFAULT 0,
      -- The registry has the outcomes up to this number.
      known_to INTEGER NOT NULL DEFAULT 0,
      -- The state that was sent last.
      state_number INTEGER NOT NULL DEFAULT 0,
      state_digest TEXT,
      state_sent_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO queue (id, queue) VALUES (1, lower(hex(randomblob(16))));
    `,
    `
    -- Since when reports wait, and why; NULL once the registry has taken one.
    ALTER TABLE queue ADD COLUMN waits_since INTEGER;
    ALTER TABLE queue ADD COLUMN waits_because TEXT;
    `,
  ],
};
