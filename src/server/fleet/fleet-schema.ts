import type { Layout } from '../../sqlite/schema.ts';

/** The tables of what machines reported. Never edit a migration: append a new one. */
export const FLEET_LAYOUT: Layout = {
  // "mflt"
  applicationId: 0x6d666c74,
  oldestReader: 1,
  migrations: [
    `
    CREATE TABLE machines (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      -- The numbers of outcomes belong to this queue.
      queue TEXT NOT NULL,
      known_to INTEGER NOT NULL,
      -- How many numbers up to known_to came without an outcome.
      missing INTEGER NOT NULL,
      state_number INTEGER NOT NULL,
      -- The process that reported last.
      instance TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      -- When two processes last reported in turn; null if that is not the case.
      duplicate_at INTEGER,
      platform TEXT,
      modreg TEXT
    ) STRICT;
    CREATE INDEX machines_by_time ON machines (seen_at);
    CREATE INDEX duplicates ON machines (duplicate_at) WHERE duplicate_at IS NOT NULL;

    -- The processes that reported for a machine before the last one.
    CREATE TABLE earlier_instances (
      machine INTEGER NOT NULL,
      instance TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (machine, instance)
    ) STRICT, WITHOUT ROWID;

    -- What machines report about a module. Machines that report the same share a row.
    CREATE TABLE states (
      id INTEGER PRIMARY KEY,
      digest BLOB NOT NULL UNIQUE,
      module_id TEXT NOT NULL,
      deployed TEXT NOT NULL,
      decision TEXT NOT NULL,
      content TEXT NOT NULL,
      machines INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX states_by_module ON states (module_id);

    CREATE TABLE placements (
      machine INTEGER NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      state INTEGER NOT NULL,
      PRIMARY KEY (machine, kind, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX placements_by_state ON placements (state, machine);

    CREATE TABLE outcomes (
      machine INTEGER NOT NULL,
      queue TEXT NOT NULL,
      number INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      module_id TEXT NOT NULL,
      version TEXT NOT NULL,
      result TEXT NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (machine, queue, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX outcomes_by_time ON outcomes (received_at, module_id, version, result);
    `,
    `
    CREATE INDEX outcomes_by_release ON outcomes (module_id, version, result);

    -- How long the step of a rollout has lasted while a controller ran.
    CREATE TABLE soaks (
      salt TEXT PRIMARY KEY,
      since INTEGER NOT NULL,
      soaked_ms INTEGER NOT NULL
    ) STRICT;
    `,
    `
    -- Has all that is counted of outcomes, so that no row is looked up.
    DROP INDEX outcomes_by_release;
    CREATE INDEX outcomes_by_release ON outcomes (module_id, version, result, received_at);
    `,
    // How far a front of a cluster has followed the stream of reports.
    `
    CREATE TABLE followed (stream TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;
    INSERT INTO followed VALUES ('', 0);
    `,
  ],
};
