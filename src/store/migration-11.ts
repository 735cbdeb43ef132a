/** The tables of what says whose fault a failure is, and of the floors that an operator skipped. */
export const MIGRATION_11 = `
  -- In which boot of the machine a poller started: a start in the same boot as the one before is no reboot (D85).
  CREATE TABLE boots (start INTEGER PRIMARY KEY, boot TEXT NOT NULL, checksum INTEGER) STRICT;
  -- The versions that were up for an hour in an entry: they are not refused because they failed twice with the world (D104).
  CREATE TABLE proven_versions (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    module_id TEXT NOT NULL,
    version TEXT NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (kind, name, module_id, version)
  ) STRICT, WITHOUT ROWID;
  -- The floors that an operator lets a target pass without running them (D92).
  CREATE TABLE skipped_floors (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    module_id TEXT NOT NULL,
    version TEXT NOT NULL,
    skipped_by TEXT NOT NULL,
    reason TEXT,
    at INTEGER NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (kind, name, module_id, version)
  ) STRICT, WITHOUT ROWID;
`;
