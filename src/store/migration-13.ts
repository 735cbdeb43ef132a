/**
 * Who requested a restart or a rollback, and why: beside the rows that these are, because an earlier modreg checks the checksums
 * of those by the columns that it knows. One that it replaced has another time, and no requester.
 */
export const MIGRATION_13 = `
  CREATE TABLE requesters (
    request TEXT NOT NULL,
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    requested_by TEXT NOT NULL,
    reason TEXT,
    checksum INTEGER,
    PRIMARY KEY (request, subject)
  ) STRICT, WITHOUT ROWID;
`;
