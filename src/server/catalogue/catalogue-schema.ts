import { EARLIEST_TIME, LATEST_TIME } from '../../core/text/rfc3339.ts';
import type { Layout } from '../../sqlite/schema.ts';

/** The catalogue's tables. Never edit a migration: append a new one, which adds to the others or raises `oldestReader`. */
export const SCHEMA: Layout = {
  // "mreg"
  applicationId: 0x6d726567,
  // A program that knows only schema 4 would list releases in rollout without their rollouts, and so to all machines.
  oldestReader: 5,
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
    // The hash has another name, so that a server of schema 1 that still runs accepts no token any more.
    `
    ALTER TABLE tokens RENAME TO earlier_tokens;
    CREATE TABLE tokens (
      id INTEGER PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      last_used_at INTEGER,
      revoked_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX names_of_tokens ON tokens (name) WHERE revoked_at IS NULL;
    INSERT INTO tokens (token_hash, name, scopes, created_at)
      SELECT hash, 'unnamed-' || row_number() OVER (ORDER BY created_at, hash), 'publish yank', created_at
      FROM earlier_tokens ORDER BY created_at, hash;
    DROP TABLE earlier_tokens;
    `,
    // A restored copy gets another one, because its numbers stand for other changes (D43).
    `
    ALTER TABLE catalogue ADD COLUMN history TEXT NOT NULL DEFAULT '';
    UPDATE catalogue SET history = lower(hex(randomblob(16)));
    `,
    // After a restore, a module that the backup lacks must not begin at 1 again (D43).
    `ALTER TABLE catalogue ADD COLUMN first_generation INTEGER NOT NULL DEFAULT 0;`,
    // What happens to a release after its publication is appended, and never changed (D54).
    `
    CREATE TABLE rollout_events (
      sequence INTEGER PRIMARY KEY,
      module INTEGER NOT NULL REFERENCES modules,
      release INTEGER NOT NULL REFERENCES releases,
      after INTEGER NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX rollout_events_by_module ON rollout_events (module);
    CREATE INDEX rollout_events_by_release ON rollout_events (release);
    `,
    // A front of a cluster has the events of its stream, and the history that all fronts have.
    `
    ALTER TABLE catalogue ADD COLUMN shared_history TEXT;
    CREATE TABLE events (
      sequence INTEGER PRIMARY KEY,
      subject TEXT NOT NULL,
      id TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX events_by_subject ON events (subject, sequence);
    `,
    // Whether the stream has the token as it is here. A front appends the others.
    `ALTER TABLE tokens ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;`,
    // Publish times that no list can have, which an earlier modreg accepted (T258). A list changes only with its generation. That of a
    // front does not rise: all fronts of a cluster must have the same numbers.
    `
    CREATE TEMP TABLE mended AS
      SELECT module AS id, row_number() OVER (ORDER BY module) AS place FROM releases
      WHERE published_at NOT BETWEEN ${EARLIEST_TIME} AND ${LATEST_TIME}
        AND EXISTS (SELECT 1 FROM catalogue WHERE shared_history IS NULL)
      GROUP BY module;
    UPDATE modules SET generation = generation + 1,
      sequence = (SELECT sequence FROM catalogue) + (SELECT place FROM mended WHERE mended.id = modules.id)
      WHERE id IN (SELECT id FROM mended);
    UPDATE catalogue SET sequence = sequence + (SELECT count(*) FROM mended);
    UPDATE releases SET published_at = max(${EARLIEST_TIME}, min(published_at, ${LATEST_TIME}))
      WHERE published_at NOT BETWEEN ${EARLIEST_TIME} AND ${LATEST_TIME};
    DROP TABLE mended;
    `,
    // The trust documents of the registry, as texts (D130).
    `CREATE TABLE trust_documents (version INTEGER PRIMARY KEY, document TEXT NOT NULL) STRICT;`,
    // The documents of machines, and what each machine said of them last (D264). A restored registry goes on above the floor.
    `
    CREATE TABLE machine_configs (
      machine TEXT NOT NULL,
      revision INTEGER NOT NULL,
      at INTEGER NOT NULL,
      author TEXT NOT NULL,
      reason TEXT NOT NULL,
      config TEXT NOT NULL,
      policy TEXT,
      signatures TEXT NOT NULL,
      PRIMARY KEY (machine, revision)
    ) STRICT;
    CREATE TABLE config_answers (
      machine TEXT PRIMARY KEY,
      floor INTEGER NOT NULL,
      at INTEGER,
      applied INTEGER,
      refused INTEGER,
      code TEXT,
      detail TEXT
    ) STRICT, WITHOUT ROWID;
    `,
    // The commands to machines, and what each machine answered (D294). Numbers go on above the floor, which a restore raises.
    `
    CREATE TABLE machine_commands (
      machine TEXT NOT NULL,
      number INTEGER NOT NULL,
      key TEXT NOT NULL,
      kind TEXT NOT NULL,
      module TEXT,
      term TEXT,
      reason TEXT NOT NULL,
      author TEXT NOT NULL,
      at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      result TEXT,
      detail TEXT,
      answered_at INTEGER,
      PRIMARY KEY (machine, number),
      UNIQUE (machine, key)
    ) STRICT;
    CREATE TABLE command_floor (floor INTEGER NOT NULL) STRICT;
    INSERT INTO command_floor VALUES (0);
    `,
    // The version that a command names, and the machines that have asked for commands: others cannot be commanded (D327).
    `
    ALTER TABLE machine_commands ADD COLUMN version TEXT;
    CREATE INDEX machine_commands_by_time ON machine_commands (at);
    CREATE TABLE commanded_machines (machine TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    `,
    // What documents of machines share, and what a machine has of its own where its documents use some (D329).
    `
    CREATE TABLE config_fragments (
      name TEXT NOT NULL,
      revision INTEGER NOT NULL,
      at INTEGER NOT NULL,
      author TEXT NOT NULL,
      reason TEXT NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (name, revision)
    ) STRICT;
    CREATE TABLE config_sources (
      machine TEXT NOT NULL,
      revision INTEGER NOT NULL,
      fragments TEXT NOT NULL,
      config TEXT NOT NULL,
      policy TEXT,
      PRIMARY KEY (machine, revision)
    ) STRICT;
    -- Of machines that a restored backup lacks (T672).
    CREATE TABLE config_floor (floor INTEGER NOT NULL) STRICT;
    INSERT INTO config_floor VALUES (0);
    `,
    // When operators say that they gave a command, and their signatures (D392).
    `ALTER TABLE machine_commands ADD COLUMN signed TEXT;`,
    // Who signs in to the page of a site with a password (D370). An earlier modreg does not know its sessions either.
    `
    CREATE TABLE accounts (
      name TEXT PRIMARY KEY,
      role TEXT NOT NULL,
      password TEXT NOT NULL,
      stamp TEXT NOT NULL,
      changed_at INTEGER NOT NULL,
      is_confirmed INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    -- Who made an event of a rollout (D375); a person or a program with a token. Others have no row.
    CREATE TABLE rollout_authors (sequence INTEGER PRIMARY KEY, author TEXT NOT NULL) STRICT;
    `,
    // The notes of releases, apart from their content, which goes into every list (D379).
    `CREATE TABLE release_notes (release INTEGER PRIMARY KEY REFERENCES releases, notes TEXT NOT NULL) STRICT;`,
    // The values of secrets that fronts of a cluster have, sealed with a key beside the file (D402). Null for one that was removed.
    `
    CREATE TABLE machine_secrets (
      machine TEXT NOT NULL,
      name TEXT NOT NULL,
      places TEXT NOT NULL,
      key TEXT,
      sealed TEXT,
      PRIMARY KEY (machine, name)
    ) STRICT;
    -- Who changed secrets and accounts, and retired machines (D443). An earlier modreg notes none.
    CREATE TABLE noted_changes (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      machine TEXT,
      name TEXT,
      author TEXT NOT NULL
    ) STRICT;
    `,
  ],
};
