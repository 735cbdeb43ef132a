import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LAYOUT, machineFileIn, type MachineFile } from '../../src/store/machine-file.ts';

/** machine.db in memory. Committed data outlives the processes that use it. */
export interface Disk {
  /** Opens the file for a process. `beforeCommit` is called before each commit. */
  readonly open: (beforeCommit: () => void) => MachineFile;
  /** Opens the file for another process, whose commits are never interrupted. */
  readonly elsewhere: () => MachineFile;
  /** Replaces the file with a blank one. */
  readonly lose: (identity: string) => void;
  /** From now on a commit fails whenever `refuses` returns true; undefined ends that. */
  readonly fill: (refuses: (() => boolean) | undefined) => void;
  readonly isFull: () => boolean;
  /** Whether the disk was ever full. */
  readonly wasFull: () => boolean;
  /** Rows of the file, also while a process has it open. */
  readonly rows: (sql: string) => readonly Record<string, unknown>[];
}

const NAME = 'machine.db';
const VERSION = 'PRAGMA data_version';

/** Returns a blank disk. Only one exists at a time. */
export function diskOf(identity: string): Disk {
  blank(identity);
  let refuses: (() => boolean) | undefined;
  let wasFull = false;
  /** Commits of other processes. */
  let foreign = 0;
  const openFor = (beforeCommit: () => void): MachineFile => {
    let isWriting = false;
    const wrapped = {
      exec(sql: string) {
        isWriting = sql === 'BEGIN IMMEDIATE' || (isWriting && sql === 'COMMIT');
        if (isWriting && sql === 'COMMIT') {
          if (refuses?.() === true) throw full();
          beforeCommit();
        }
        prepared(sql).run();
      },
      prepare: prepared,
      get isTransaction() {
        return open().isTransaction;
      },
      isOpen: true,
      close: () => undefined,
    };
    // A cast: a machine file calls only these methods of a database.
    const file = machineFileIn(wrapped as unknown as DatabaseSync, NAME);
    // The real value never changes, because all processes share one connection.
    const get: MachineFile['sql']['get'] = (sql, ...values) =>
      sql === VERSION ? { data_version: foreign } : file.sql.get(sql, ...values);
    return { ...file, sql: { ...file.sql, get } };
  };
  return {
    open: openFor,
    elsewhere: () =>
      openFor(() => {
        foreign++;
      }),
    lose: blank,
    fill: (when) => {
      refuses = when;
      wasFull ||= when !== undefined;
    },
    isFull: () => refuses !== undefined,
    wasFull: () => wasFull,
    rows: (sql) => prepared(sql).all(),
  };
}

const TABLES = [
  'saved_contents',
  'saved_lists',
  'first_seen',
  'deployed',
  'actions',
  'restarts',
  'quarantine',
  'decisions',
  'starts',
  'sqlite_sequence',
];
const WIPE: string = TABLES.map((table) => `DELETE FROM ${table};`).join(' ');

/** One database for all disks: emptying the tables is faster than creating them. */
let database: DatabaseSync | undefined;
const statements = new Map<string, StatementSync>();

function blank(identity: string): void {
  if (!database) {
    database = new DatabaseSync(':memory:');
    database.exec('PRAGMA foreign_keys = ON');
    // No bit flips here, and checksums would take a third of the time: every row counts as intact.
    database.function('row_checksum', { varargs: true, deterministic: true }, () => null);
    for (const migration of LAYOUT.migrations) database.exec(migration);
  }
  if (database.isTransaction) database.exec('ROLLBACK');
  database.exec(`${WIPE} UPDATE poller SET pid = NULL, round_at = NULL, trouble = NULL`);
  // SQLite would draw a random identity.
  database.prepare('UPDATE identity SET file = ?').run(identity);
}

function prepared(sql: string): StatementSync {
  const statement = statements.get(sql) ?? open().prepare(sql);
  statements.set(sql, statement);
  return statement;
}

function open(): DatabaseSync {
  if (!database) throw new Error('no disk exists yet');
  return database;
}

/** The error of SQLite. */
function full(): Error {
  return Object.assign(new Error('database or disk is full'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 13,
  });
}
