import { DatabaseSync } from 'node:sqlite';
import { DatabaseError, type ClaimedFile } from '../../src/store/index.ts';
import { machineFileIn, type MachineFile } from '../../src/store/machine-file.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';

/** machine.db in memory, whose rows can be saved and restored. */
export interface MachineStore {
  /** The file for a process that polls, which writes nothing once it is over. */
  readonly claimed: (isOver: () => boolean) => ClaimedFile;
  /** The state for another process. The one that polls notices its writes as it notices those of real processes. */
  readonly elsewhere: () => MachineState;
  readonly save: () => Rows;
  readonly restore: (rows: Rows) => void;
}

/** The rows of each table that has any. */
export type Rows = ReadonlyMap<string, readonly Row[]>;

type Row = Readonly<Record<string, string | number | bigint | null | Uint8Array>>;

const NAME = 'machine.db';
const VERSION = 'PRAGMA data_version';
/** What modreg writes for people, and what it decides nothing by. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['decisions', 'decision_history']);

export function machineStore(): MachineStore {
  const database = new DatabaseSync(':memory:');
  // No bit flips here.
  database.function('row_checksum', { varargs: true, deterministic: true }, () => null);
  for (const migration of LAYOUT.migrations) database.exec(migration);
  /** Commits of other processes. On one connection, SQLite counts none. */
  let foreign = 0;
  const file = machineFileIn(database, NAME);
  const get: MachineFile['sql']['get'] = (sql, ...values) =>
    sql === VERSION ? { data_version: foreign } : file.sql.get(sql, ...values);
  const shared = { ...file, sql: { ...file.sql, get } };
  const rows = rowsOf(database);
  return {
    claimed: (isOver) => {
      const checkInPlace = (): void => {
        if (isOver()) throw new DatabaseError('missing', 'the process has ended', { file: NAME });
      };
      const state = machineStateIn({ ...shared, checkInPlace });
      return { ...shared, state, setAside: undefined, lostRows: [], isNew: false };
    },
    elsewhere: () => {
      foreign++;
      return machineStateIn(shared);
    },
    save: rows.save,
    restore: (saved) => {
      foreign++;
      rows.restore(saved);
    },
  };
}

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";

function rowsOf(database: DatabaseSync): Pick<MachineStore, 'save' | 'restore'> {
  const names = database
    .prepare(TABLES)
    .all()
    .map(({ name }) => String(name));
  const kept = names.filter((name) => !FOR_PEOPLE.has(name));
  const reads = kept.map((name) => [name, database.prepare(`SELECT * FROM ${name}`)] as const);
  const wipes = names.map((name) => database.prepare(`DELETE FROM ${name}`));
  const inserts = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const insert = (table: string, row: Row): void => {
    const columns = Object.keys(row);
    const places = columns.map(() => '?').join(', ');
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
    const prepared = inserts.get(sql) ?? database.prepare(sql);
    inserts.set(sql, prepared);
    prepared.run(...Object.values(row));
  };
  return {
    save: () =>
      new Map(
        reads
          .map(([name, read]) => [name, read.all() as Row[]] as const)
          .filter(([, rows]) => rows.length > 0),
      ),
    restore: (saved) => {
      database.exec('BEGIN');
      for (const wipe of wipes) wipe.run();
      for (const [table, rows] of saved) for (const row of rows) insert(table, row);
      database.exec('COMMIT');
    },
  };
}
