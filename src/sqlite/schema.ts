import type { DatabaseSync } from 'node:sqlite';

/** The type of a program's SQLite files, and its schema. */
export interface Layout {
  /** SQLite's `application_id`: a file with a different one belongs to another program. */
  readonly applicationId: number;
  /** SQL that upgrades each version of the schema to the next, starting from an empty file. */
  readonly migrations: readonly string[];
  /**
   * The oldest schema whose programs can read and write a file of the newest one. A migration that only adds tables,
   * columns with a default, or fields of stored JSON keeps it. Any other migration raises it to its own schema, and a
   * file of an earlier schema is then copied before it is upgraded (T71).
   */
  readonly oldestReader: number;
}

/** What a file says about its schema. */
export interface FileSchema {
  readonly applicationId: number;
  /** The version of the schema; 0 in an empty file. */
  readonly version: number;
  readonly isEmpty: boolean;
}

export function schemaIn(database: DatabaseSync): FileSchema {
  const version = pragma(database, 'user_version');
  return {
    applicationId: pragma(database, 'application_id'),
    version,
    isEmpty: version === 0 && pragma(database, 'schema_version') === 0,
  };
}

/** Whether programs with `layout` can use the file, as it is or after an upgrade. */
export function isUsable(database: DatabaseSync, layout: Layout): boolean {
  const { applicationId, version } = schemaIn(database);
  const known = layout.migrations.length;
  // The tables of another program are not read.
  if (applicationId !== layout.applicationId || version === 0) return false;
  return version <= known || oldestReaderIn(database) <= known;
}

/** The oldest schema whose programs can read and write the file; its own schema if the file does not say so. */
export function oldestReaderIn(database: DatabaseSync): number {
  const isRecorded = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'compatibility'")
    .get();
  const row = isRecorded && database.prepare('SELECT oldest_reader FROM compatibility').get();
  return Number(row?.['oldest_reader'] ?? pragma(database, 'user_version'));
}

/** Upgrades a file from the schema `from`, inside a transaction of the caller, and records its oldest reader. */
export function upgradeSchema(database: DatabaseSync, layout: Layout, from: number): void {
  const { applicationId, migrations, oldestReader } = layout;
  for (const migration of migrations.slice(from)) database.exec(migration);
  database.exec(`
    CREATE TABLE IF NOT EXISTS compatibility (
      id INTEGER PRIMARY KEY CHECK (id = 1), oldest_reader INTEGER NOT NULL
    ) STRICT;
    INSERT INTO compatibility (id, oldest_reader) VALUES (1, ${oldestReader})
      ON CONFLICT DO UPDATE SET oldest_reader = excluded.oldest_reader;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${migrations.length}`);
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
