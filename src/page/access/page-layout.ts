import type { Layout } from '../../sqlite/schema.ts';

/** The tables of `page.db`. Migrations are never changed; `failures` is not used any more. */
export const PAGE_LAYOUT: Layout = {
  // "mpag"
  applicationId: 0x6d706167,
  oldestReader: 1,
  migrations: [
    `
    CREATE TABLE page (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The first label of the page's host name on loopback.
      label TEXT NOT NULL,
      -- Where the page listened last; null if it never has.
      address TEXT
    ) STRICT;

    -- Codes with which a person may sign in. Only their hashes are stored.
    CREATE TABLE codes (
      hash BLOB PRIMARY KEY,
      created_at INTEGER NOT NULL,
      -- How many wrong codes were entered since.
      failures INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE sessions (
      hash BLOB PRIMARY KEY,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    ) STRICT;
    `,
    // A table of their own, because an earlier modreg takes each row of the other for who may do all (T774).
    `
    CREATE TABLE account_sessions (
      hash BLOB PRIMARY KEY,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      account TEXT NOT NULL,
      stamp TEXT NOT NULL
    ) STRICT;
    `,
  ],
};
