import type { Layout } from '../sqlite/schema.ts';
import { LATER_MIGRATIONS } from './migration-12.ts';

/** @internal The machine's tables. A change is a new migration, which adds to the others, never changed, or raises `oldestReader`. */
export const LAYOUT: Layout = {
  // "mmac"
  applicationId: 0x6d6d6163,
  // The programs of schemas 1 to 4 would change rows without their checksums.
  oldestReader: 5,
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

    -- A separate table, because a confirmation would rewrite the content.
    CREATE TABLE saved_contents (
      list INTEGER PRIMARY KEY REFERENCES saved_lists ON DELETE CASCADE,
      content TEXT NOT NULL
    ) STRICT;
    `,
    `
    -- No other file has this id, so no other file has an action with the same id.
    CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), file TEXT NOT NULL) STRICT;
    INSERT INTO identity VALUES (1, lower(hex(randomblob(6))));

    CREATE TABLE deployed (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      module_id TEXT NOT NULL,
      -- If it is known, NULL in text means that nothing is deployed.
      is_known INTEGER NOT NULL,
      text TEXT,
      previous TEXT,
      since INTEGER NOT NULL,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE actions (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      module_id TEXT NOT NULL,
      state TEXT NOT NULL,
      content TEXT NOT NULL,
      not_before INTEGER NOT NULL DEFAULT 0,
      deliveries INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      changed_at INTEGER NOT NULL,
      outcome TEXT
    ) STRICT;
    CREATE UNIQUE INDEX open_actions ON actions (kind, name) WHERE state IN ('waiting', 'delivered');

    CREATE TABLE restarts (
      action INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX restarts_of ON restarts (kind, name);

    CREATE TABLE quarantine (
      module_id TEXT NOT NULL,
      version TEXT NOT NULL,
      digest TEXT,
      since INTEGER NOT NULL,
      until INTEGER,
      reason TEXT NOT NULL,
      is_rollback INTEGER NOT NULL,
      rolled_back_to TEXT,
      PRIMARY KEY (module_id, version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE decisions (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      place INTEGER NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE starts (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL) STRICT;

    CREATE TABLE poller (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      pid INTEGER,
      round_at INTEGER,
      trouble TEXT
    ) STRICT;
    INSERT INTO poller VALUES (1, NULL, NULL, NULL);
    `,
    `
    -- The reason of an action was a sentence, and is now data with a sentence. json_patch omits null values.
    UPDATE actions SET content = json_set(content, '$.reason', CASE
      WHEN content ->> '$.direction' = 'rollback' THEN json_patch('{}', json_object(
        'kind', 'failure',
        'version', content ->> '$.from',
        'until', (SELECT until FROM quarantine
          WHERE quarantine.module_id = actions.module_id AND version = content ->> '$.from'),
        'isRolledBack', json(iif((SELECT is_rollback FROM quarantine
          WHERE quarantine.module_id = actions.module_id AND version = content ->> '$.from'), 'true', 'false')),
        'text', content ->> '$.reason'))
      WHEN content ->> '$.artifact.url' = content ->> '$.to' THEN json_object(
        'kind', 'pin-url', 'text', content ->> '$.reason')
      ELSE json_object(
        'kind', 'constraint',
        'constraint', coalesce((SELECT decisions.content ->> '$.constraint' FROM decisions
          WHERE decisions.kind = actions.kind AND decisions.name = actions.name), content ->> '$.to'),
        'text', content ->> '$.reason')
      END)
    WHERE json_type(content, '$.reason') = 'text';
    `,
    `
    -- The release that failed last, until a deployed version is reported (D37).
    ALTER TABLE deployed ADD COLUMN failed TEXT;
    -- The versions that a rollback refuses, as a JSON array; NULL if it had no list (D32).
    ALTER TABLE quarantine ADD COLUMN refused TEXT;
    -- Each change of a decision, with the facts that led to it. While the decision stays the same and its facts change,
    -- "last" has the later ones. The index makes pruning cheap, because it has all that pruning reads.
    CREATE TABLE decision_history (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      at INTEGER NOT NULL,
      change TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      first TEXT NOT NULL,
      last TEXT
    ) STRICT;
    CREATE INDEX decision_history_of ON decision_history (kind, name, id, at, bytes);
    -- The history of the sequence number, after that number: an earlier program changes only the number (D40).
    ALTER TABLE saved_lists ADD COLUMN history TEXT;
    -- When releases were first seen (D34), also for lists that are no longer saved. The version '' has the time of the
    -- first list; a release of that list has no row, unless it claimed to be published later. absent_at is when the
    -- last list without the release was confirmed; NULL if there was none.
    CREATE TABLE first_seen (
      address TEXT NOT NULL,
      module_id TEXT NOT NULL,
      version TEXT NOT NULL,
      absent_at INTEGER,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (address, module_id, version)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO first_seen SELECT address, module_id, '', NULL, confirmed_at FROM saved_lists;
    `,
    `
    -- A checksum of each row: SQLite does not notice a flipped bit in a value (T90).
    ALTER TABLE identity ADD COLUMN checksum INTEGER;
    ALTER TABLE deployed ADD COLUMN checksum INTEGER;
    ALTER TABLE actions ADD COLUMN checksum INTEGER;
    ALTER TABLE restarts ADD COLUMN checksum INTEGER;
    ALTER TABLE quarantine ADD COLUMN checksum INTEGER;
    ALTER TABLE decisions ADD COLUMN checksum INTEGER;
    ALTER TABLE starts ADD COLUMN checksum INTEGER;
    ALTER TABLE poller ADD COLUMN checksum INTEGER;
    ALTER TABLE first_seen ADD COLUMN checksum INTEGER;
    ALTER TABLE decision_history ADD COLUMN checksum INTEGER;
    ALTER TABLE saved_lists ADD COLUMN checksum INTEGER;
    ALTER TABLE saved_contents ADD COLUMN checksum INTEGER;
    UPDATE identity SET checksum = row_checksum(id, file);
    UPDATE deployed SET checksum = row_checksum(kind, name, module_id, is_known, text, previous, since, failed);
    UPDATE actions SET checksum = row_checksum(number, kind, name, module_id, state, content, not_before, deliveries, failures, changed_at, outcome);
    UPDATE restarts SET checksum = row_checksum(action, kind, name, at);
    UPDATE quarantine SET checksum = row_checksum(module_id, version, digest, since, until, reason, is_rollback, rolled_back_to, refused);
    UPDATE decisions SET checksum = row_checksum(kind, name, place, content);
    UPDATE starts SET checksum = row_checksum(id, at);
    UPDATE poller SET checksum = row_checksum(id, pid, round_at, trouble);
    UPDATE first_seen SET checksum = row_checksum(address, module_id, version, absent_at, seen_at);
    UPDATE decision_history SET checksum = row_checksum(id, kind, name, at, change, bytes, first, last);
    UPDATE saved_lists SET checksum = row_checksum(id, address, module_id, confirmed_at, sequence, generation, digest, size, kept, etag, history);
    UPDATE saved_contents SET checksum = row_checksum(list, content);
    -- Rows that were damaged, for a person who examines them.
    CREATE TABLE damaged_rows (id INTEGER PRIMARY KEY AUTOINCREMENT, row TEXT NOT NULL) STRICT;
    `,
    `
    -- What modreg's own agent runs for each module entry.
    CREATE TABLE activations (
      name TEXT PRIMARY KEY,
      module_id TEXT NOT NULL,
      content TEXT NOT NULL,
      checksum INTEGER
    ) STRICT, WITHOUT ROWID;
    `,
    `
    -- The last restart that an operator requested for each target, until it is done (D41). A failure ends the request.
    CREATE TABLE restart_requests (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      module_id TEXT NOT NULL,
      requested_at INTEGER NOT NULL,
      is_immediate INTEGER NOT NULL,
      failure TEXT,
      checksum INTEGER,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;
    `,
    `
    -- When a release was first seen may have been written by a clock that was behind, and would make it older. No time limits
    -- it any more (9007199254740991), until one is certain (D59). Of a damaged row, the checksum stays wrong.
    UPDATE first_seen
    SET seen_at = 9007199254740991,
        checksum = row_checksum(address, module_id, version, absent_at, 9007199254740991)
    WHERE version <> '' AND checksum IS row_checksum(address, module_id, version, absent_at, seen_at);
    `,
    `
    -- What operators hold: a module, a subsystem, or the machine, whose name is ''. A hold ends after longest_ms of elapsed time,
    -- of which elapsed_ms had passed at counted_at, or at ends_at (D75). counted_at is NULL if the clock was not certain.
    CREATE TABLE operator_holds (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      set_by TEXT NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      ends_at INTEGER,
      longest_ms INTEGER NOT NULL,
      elapsed_ms INTEGER NOT NULL,
      counted_at INTEGER,
      checksum INTEGER,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;
    `,
    `
    -- The replacement of from_version by to_version that an operator requested at once for each target (D76). from_version is NULL if
    -- nothing was deployed; despite is a JSON array of the vetoes that the operator named.
    CREATE TABLE upgrade_requests (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      module_id TEXT NOT NULL,
      requested_at INTEGER NOT NULL,
      requested_by TEXT NOT NULL,
      reason TEXT,
      from_version TEXT,
      to_version TEXT NOT NULL,
      despite TEXT NOT NULL,
      checksum INTEGER,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;
    -- The targets whose lists an operator wants to be read at once, until their round begins.
    CREATE TABLE round_requests (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      requested_at INTEGER NOT NULL,
      checksum INTEGER,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;
    -- The key of the digests below: an entry contains secrets, and no other machine has the same digest.
    CREATE TABLE entry_key (id INTEGER PRIMARY KEY CHECK (id = 1), key TEXT NOT NULL, checksum INTEGER) STRICT;
    INSERT INTO entry_key (id, key) VALUES (1, lower(hex(randomblob(32))));
    UPDATE entry_key SET checksum = row_checksum(id, key);
    -- The entries under which a release in quarantine has failed: their target, and a digest of what reaches their program.
    -- An edit gives the release another try (D82). A quarantine without rows, such as an operator's, has no such tries.
    CREATE TABLE failed_setups (
      module_id TEXT NOT NULL,
      version TEXT NOT NULL,
      entry TEXT NOT NULL,
      digest TEXT NOT NULL,
      checksum INTEGER,
      PRIMARY KEY (module_id, version, entry, digest),
      FOREIGN KEY (module_id, version) REFERENCES quarantine ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    -- Since when the replacements of what is deployed are held, without a gap. elapsed_ms had passed at counted_at, which is NULL
    -- if the clock was not certain (D79).
    CREATE TABLE held_replacements (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      module_id TEXT NOT NULL,
      deployed TEXT NOT NULL,
      since INTEGER NOT NULL,
      elapsed_ms INTEGER NOT NULL,
      counted_at INTEGER,
      checksum INTEGER,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;
    -- In which entries a release in quarantine with this since failed (D81); suspended if same_as fails too: waiting until it works (D80).
    CREATE TABLE failed_entries (
      module_id TEXT NOT NULL,
      version TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      since INTEGER NOT NULL,
      state TEXT NOT NULL,
      same_as TEXT,
      checksum INTEGER,
      PRIMARY KEY (module_id, version, kind, name)
    ) STRICT, WITHOUT ROWID;
    `,
    ...LATER_MIGRATIONS,
  ],
};
