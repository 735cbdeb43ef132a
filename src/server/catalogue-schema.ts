import type { Layout } from '../sqlite/schema.ts';

/** The catalogue's tables. Never edit a migration: append a new one, which adds to the others or raises `oldestReader`. */
export const SCHEMA: Layout = {
  // "mreg"
  applicationId: 0x6d726567,
  oldestReader: 1,
  migrations: [
    `
    CREATE TABLE catalogue (sequence INTEGER NOT NULL) STRICT;
    INSERT INTO catalogue VALUES (0);

    CREATE TABLE modules (
      id INTEGER PRIMARY KEY,
      namespace TEXT NOT NULL,
      name TEXT NOT NULL,
      generation INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      UNIQUE (namespace, name)
    ) STRICT;
    CREATE INDEX modules_by_sequence ON modules (sequence);

    CREATE TABLE releases (
      id INTEGER PRIMARY KEY,
      module INTEGER NOT NULL REFERENCES modules,
      version TEXT NOT NULL,
      published_at INTEGER NOT NULL,
      content TEXT NOT NULL,
      yanked TEXT,
      UNIQUE (module, version)
    ) STRICT;

    CREATE TABLE tokens (
      hash BLOB PRIMARY KEY,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    `,
  ],
};
