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
    // Numbers that machines sent were not bounded, and a sum of them could not be read (T246). Each machine keeps 10,000 outcomes (T250).
    `
    UPDATE machines SET
      known_to = min(max(known_to, 0), 1000000000000),
      missing = min(max(missing, 0), 1000000000000),
      state_number = min(max(state_number, 0), 1000000000000),
      seen_at = min(max(seen_at, 0), 253402300799999),
      duplicate_at = min(max(duplicate_at, 0), 253402300799999);
    UPDATE outcomes SET received_at = min(max(received_at, 0), 253402300799999)
      WHERE received_at NOT BETWEEN 0 AND 253402300799999;

    CREATE INDEX outcomes_by_machine ON outcomes (machine, received_at);
    -- How many outcomes of the machine are kept.
    ALTER TABLE machines ADD COLUMN outcomes INTEGER NOT NULL DEFAULT 0;
    UPDATE machines SET outcomes = (SELECT count(*) FROM outcomes WHERE machine = machines.id);
    CREATE TRIGGER outcome_kept AFTER INSERT ON outcomes BEGIN
      UPDATE machines SET outcomes = outcomes + 1 WHERE id = NEW.machine;
    END;
    CREATE TRIGGER outcome_deleted AFTER DELETE ON outcomes BEGIN
      UPDATE machines SET outcomes = outcomes - 1 WHERE id = OLD.machine;
    END;
    DELETE FROM outcomes WHERE (machine, queue, number) IN
      (SELECT machine, queue, number FROM
        (SELECT machine, queue, number,
            row_number() OVER (PARTITION BY machine ORDER BY received_at DESC, queue DESC, number DESC) AS place
          FROM outcomes WHERE machine IN (SELECT id FROM machines WHERE outcomes > 10000))
        WHERE place > 10000);
    `,
    // Machines that an operator retired: when, and who (D83). An earlier modreg counts them. Null again with the next report.
    `
    ALTER TABLE machines ADD COLUMN retired_at INTEGER;
    ALTER TABLE machines ADD COLUMN retired_by TEXT;
    CREATE INDEX retired_machines ON machines (id) WHERE retired_at IS NOT NULL;
    `,
    // The group of a machine, as the registry counts it; null if it is in none (D107).
    `
    ALTER TABLE machines ADD COLUMN group_name TEXT;
    CREATE INDEX machines_by_group ON machines (group_name) WHERE group_name IS NOT NULL;
    `,
    // What fails on which machine, as its last state says (D184). An earlier modreg replaces states, and does not know the table: the trigger
    // forgets what such a state does not say.
    `
    CREATE TABLE failing_modules (
      machine INTEGER NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      failing_id TEXT NOT NULL,
      failing_version TEXT NOT NULL,
      blame TEXT NOT NULL,
      failure TEXT NOT NULL,
      PRIMARY KEY (machine, kind, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX failing_by_release ON failing_modules (failing_id, failing_version);
    CREATE TRIGGER state_replaced AFTER UPDATE OF state_number ON machines BEGIN
      DELETE FROM failing_modules WHERE machine = NEW.id;
    END;
    `,
    // When a machine was heard by a request that is no report, and how often it asks (D186). An earlier modreg writes neither.
    `
    ALTER TABLE machines ADD COLUMN contact_at INTEGER;
    ALTER TABLE machines ADD COLUMN every_ms INTEGER;
    CREATE TABLE presence (silent_ms INTEGER NOT NULL) STRICT;
    INSERT INTO presence VALUES (86400000);
    `,
    // Whether the policy of a machine names a trust document: 1, or null (D177).
    `
    ALTER TABLE machines ADD COLUMN pinned INTEGER;
    `,
    // What is so, as it was last looked at, and what waits to be told (D212). Empty without --notify.
    `
    CREATE TABLE noticed (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE noticed_place (history TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;
    CREATE TABLE notices (
      number INTEGER PRIMARY KEY,
      receiver TEXT NOT NULL,
      at INTEGER NOT NULL,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      is_held INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX notices_by_receiver ON notices (receiver, number);
    `,
    // How far the clock of a machine was ahead with its last state, and whether the machine says that it is synchronized (D460). An earlier
    // modreg writes neither.
    `
    ALTER TABLE machines ADD COLUMN clock_ahead_ms INTEGER;
    ALTER TABLE machines ADD COLUMN synchronized INTEGER;
    `,
  ],
};
