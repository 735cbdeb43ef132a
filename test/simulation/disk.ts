import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LAYOUT, machineFileIn, type MachineFile } from '../../src/store/machine-file.ts';

/** The machine's file, in memory. What was committed outlives the processes that use it. */
export interface Disk {
  /** The file as a process has it open, which `beforeCommit` is told of each commit of. */
  readonly open: (beforeCommit: () => void) => MachineFile;
  /** The file as another process has it, which commits at once. */
  readonly elsewhere: () => MachineFile;
  /** The file is lost, and a blank one takes its place. */
  readonly lose: (identity: string) => void;
  /** From now on nothing, or a part of what is written, fits. */
  readonly fill: (refuses: (() => boolean) | undefined) => void;
  readonly isFull: () => boolean;
  /** Whether it ever was. */
  readonly wasFull: () => boolean;
  /** Rows of the file, whoever has it open. */
  readonly rows: (sql: string) => readonly Record<string, unknown>[];
}

const NAME = 'machine.db';
const VERSION = 'PRAGMA data_version';

/** A blank one. There is one at a time. */
export function diskOf(identity: string): Disk {
  blank(identity);
  let refuses: (() => boolean) | undefined;
  let wasFull = false;
  /** How often other processes wrote. */
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
    // A cast, because a machine's file calls these methods of a database and no others.
    const file = machineFileIn(wrapped as unknown as DatabaseSync, NAME);
    // Of this connection, the only one, it never changes.
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
  'deployed',
  'actions',
  'restarts',
  'quarantine',
  'decisions',
  'starts',
  'sqlite_sequence',
];
const WIPE: string = TABLES.map((table) => `DELETE FROM ${table};`).join(' ');

/** One for all files: to make the tables takes longer than to empty them. */
let database: DatabaseSync | undefined;
const statements = new Map<string, StatementSync>();

function blank(identity: string): void {
  if (!database) {
    database = new DatabaseSync(':memory:');
    database.exec('PRAGMA foreign_keys = ON');
    for (const migration of LAYOUT.migrations) database.exec(migration);
  }
  if (database.isTransaction) database.exec('ROLLBACK');
  database.exec(`${WIPE} UPDATE poller SET pid = NULL, round_at = NULL, trouble = NULL`);
  // The one that SQLite draws is another each time.
  database.prepare('UPDATE identity SET file = ?').run(identity);
}

function prepared(sql: string): StatementSync {
  const statement = statements.get(sql) ?? open().prepare(sql);
  statements.set(sql, statement);
  return statement;
}

function open(): DatabaseSync {
  if (!database) throw new Error('no disk was put in yet');
  return database;
}

/** As SQLite says it. */
function full(): Error {
  return Object.assign(new Error('database or disk is full'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 13,
  });
}
