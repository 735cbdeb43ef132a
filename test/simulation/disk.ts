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
  /** Rows of the file, whoever has it open. */
  readonly rows: (sql: string) => readonly Record<string, unknown>[];
}

const NAME = 'machine.db';
const VERSION = 'PRAGMA data_version';

export function diskOf(identity: string): Disk {
  let database = blank(identity);
  let statements = new Map<string, StatementSync>();
  let refuses: (() => boolean) | undefined;
  /** How often other processes wrote. */
  let foreign = 0;
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const openFor = (beforeCommit: () => void): MachineFile => {
    let isWriting = false;
    const wrapped = {
      exec(sql: string) {
        isWriting = sql === 'BEGIN IMMEDIATE' || (isWriting && sql === 'COMMIT');
        if (isWriting && sql === 'COMMIT') {
          if (refuses?.() === true) throw full();
          beforeCommit();
        }
        prepare(sql).run();
      },
      prepare,
      get isTransaction() {
        return database.isTransaction;
      },
      isOpen: true,
      close: () => undefined,
    };
    const file = machineFileIn(wrapped as unknown as DatabaseSync, NAME);
    const get: MachineFile['sql']['get'] = (sql, ...values) => {
      const row = file.sql.get(sql, ...values);
      if (sql !== VERSION) return row;
      return { data_version: Number(row?.['data_version']) + foreign };
    };
    return { ...file, sql: { ...file.sql, get } };
  };
  return {
    open: openFor,
    elsewhere: () =>
      openFor(() => {
        foreign++;
      }),
    lose(other) {
      database.close();
      database = blank(other);
      statements = new Map();
    },
    fill: (when) => {
      refuses = when;
    },
    isFull: () => refuses !== undefined,
    rows: (sql) => prepare(sql).all(),
  };
}

function blank(identity: string): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec('PRAGMA foreign_keys = ON');
  for (const migration of LAYOUT.migrations) database.exec(migration);
  // The one that SQLite draws is another each time.
  database.prepare('UPDATE identity SET file = ?').run(identity);
  return database;
}

/** As SQLite says it. */
function full(): Error {
  return Object.assign(new Error('database or disk is full'), {
    ...{ code: 'ERR_SQLITE_ERROR', errcode: 13 },
  });
}
