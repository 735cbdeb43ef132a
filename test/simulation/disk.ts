import { DatabaseSync } from 'node:sqlite';
import { machineFileIn, type MachineFile } from '../../src/store/machine-file.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import { durability } from './durability.ts';
import { statementIn, type Statement } from './statements.ts';

/** machine.db in memory. Committed data outlives the processes that use it. */
export interface Disk {
  /** Opens the file for a process. `beforeCommit` is called before each commit that changes it. */
  readonly open: (beforeCommit: () => void) => MachineFile;
  /** Opens the file for another process, whose commits are never interrupted. */
  readonly elsewhere: () => MachineFile;
  /** Replaces the file with a blank one. */
  readonly lose: (identity: string) => void;
  /** The power fails: commits that SQLite does not promise to keep are lost. */
  readonly losePower: () => void;
  /** From now on a commit fails whenever `refuses` returns true; undefined ends that. */
  readonly fill: (refuses: (() => boolean) | undefined) => void;
  readonly isFull: () => boolean;
  /** Rows of the file, also while a process has it open. */
  readonly rows: (sql: string) => readonly Record<string, unknown>[];
}

const NAME = 'machine.db';
const VERSION = 'PRAGMA data_version';
const MOST_FORGOTTEN = 4;

/** A process that has the file open. */
interface Connection {
  readonly beforeCommit: () => void;
  readonly isDurable: boolean;
}

/** Returns a blank disk. Only one exists at a time. */
export function diskOf(identity: string): Disk {
  blank(identity);
  const { ofPoller, ofOthers } = durability();
  let refuses: (() => boolean) | undefined;
  /** Commits of other processes. */
  let foreign = 0;
  /** The file after the last commit that a power loss does not undo, and after each later one. */
  let survivors: Uint8Array[] = [];
  const keep = (isDurable: boolean): void => {
    if (ofPoller && ofOthers) return;
    survivors = [...(isDurable ? [] : survivors), open().serialize()].slice(-MOST_FORGOTTEN);
  };
  keep(true);
  const openFor = ({ beforeCommit, isDurable }: Connection): MachineFile => {
    const connection = connectionTo({
      beforeCommit() {
        if (refuses?.() === true) throw full();
        beforeCommit();
      },
      afterCommit: () => keep(isDurable),
    });
    // A cast: a machine file calls only these methods of a database.
    const file = machineFileIn(connection as unknown as DatabaseSync, NAME);
    // The real value never changes, because all processes share one connection.
    const get: MachineFile['sql']['get'] = (sql, ...values) =>
      sql === VERSION ? { data_version: foreign } : file.sql.get(sql, ...values);
    return { ...file, sql: { ...file.sql, get } };
  };
  return {
    open(beforeCommit) {
      // What the process before this one did not commit.
      abandon();
      return openFor({ beforeCommit, isDurable: ofPoller });
    },
    elsewhere: () =>
      openFor({
        beforeCommit: () => {
          foreign++;
        },
        isDurable: ofOthers,
      }),
    lose(next) {
      blank(next);
      keep(true);
    },
    losePower() {
      const [first] = survivors;
      if (!first) return;
      // This ends all statements.
      abandon();
      statements.clear();
      open().deserialize(first);
      survivors = [first];
    },
    fill: (when) => {
      refuses = when;
    },
    isFull: () => refuses !== undefined,
    rows: (sql) => statement(sql).prepared.all(),
  };
}

interface Commits {
  readonly beforeCommit: () => void;
  readonly afterCommit: () => void;
}

/** The part of a DatabaseSync that a machine file uses. Only a commit that changes something counts. */
function connectionTo({ beforeCommit, afterCommit }: Commits): object {
  const guarded = <T>(one: Statement, run: () => T): T => {
    const commits = isCommit(one);
    if (commits) beforeCommit();
    const done = run();
    noteTransaction(one);
    if (commits) afterCommit();
    return done;
  };
  return {
    exec(sql: string) {
      for (let rest = sql; rest !== '';) {
        const one = statement(rest);
        guarded(one, () => one.prepared.run());
        ({ rest } = one);
      }
    },
    prepare(sql: string) {
      const one = statement(sql);
      if (one.effect === 'read') return one.prepared;
      const { prepared } = one;
      return {
        run: (...values: Values) => guarded(one, () => prepared.run(...values)),
        get: (...values: Values) => guarded(one, () => prepared.get(...values)),
        all: (...values: Values) => guarded(one, () => prepared.all(...values)),
      };
    },
    get isTransaction() {
      return open().isTransaction;
    },
    isOpen: true,
    close: () => undefined,
  };
}

type Values = (string | number | null | Uint8Array)[];

/** The transaction that is open: the savepoint that began it, and how many rows had ever changed before its first write. */
let savepoint: string | undefined;
let changesBefore: number | undefined;

/** Whether a statement would commit a change. */
function isCommit({ effect, savepoint: name }: Statement): boolean {
  const { isTransaction } = open();
  if (effect === 'write') {
    if (isTransaction) changesBefore ??= changes();
    return !isTransaction;
  }
  const ends = effect === 'end' || (effect === 'release' && name === savepoint);
  return ends && changesBefore !== undefined && changes() > changesBefore;
}

function noteTransaction({ effect, savepoint: name }: Statement): void {
  if (!open().isTransaction) savepoint = changesBefore = undefined;
  else if (effect === 'begin') savepoint = undefined;
  else if (effect === 'savepoint' && changesBefore === undefined) savepoint ??= name;
}

function changes(): number {
  return Number(statement('SELECT total_changes() AS n').prepared.get()?.['n']);
}

/** One database for all disks: emptying the tables is faster than creating them. */
let database: DatabaseSync | undefined;
const statements = new Map<string, Statement>();
/** The tables that a new file has no rows in. */
const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('identity', 'poller')";
let wipe = '';

function blank(identity: string): void {
  if (!database) {
    database = new DatabaseSync(':memory:');
    database.exec('PRAGMA foreign_keys = ON');
    // No bit flips here, and checksums would take a third of the time: every row counts as intact.
    database.function('row_checksum', { varargs: true, deterministic: true }, () => null);
    for (const migration of LAYOUT.migrations) database.exec(migration);
    const tables = database.prepare(TABLES).all();
    wipe = tables.map(({ name }) => `DELETE FROM ${String(name)};`).join(' ');
  }
  abandon();
  database.exec(`${wipe} UPDATE poller SET pid = NULL, round_at = NULL, trouble = NULL`);
  // SQLite would draw a random identity.
  database.prepare('UPDATE identity SET file = ?').run(identity);
}

function abandon(): void {
  if (open().isTransaction) open().exec('ROLLBACK');
  savepoint = changesBefore = undefined;
}

function statement(sql: string): Statement {
  const one = statements.get(sql) ?? statementIn(open(), sql);
  statements.set(sql, one);
  return one;
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
