import { realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { expectArgument, expectMembers, oneOf, optional, TEXT } from '../core/text/argument.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { BUSY_TIMEOUT, openDatabase, transaction, translated } from '../sqlite/database.ts';
import { holdExclusively } from '../sqlite/exclusive-lock.ts';
import { checkRows } from './damaged-rows.ts';
import { freeReserve } from './reserve.ts';
import { LAYOUT } from './machine-layout.ts';
import { sealWrites } from './sealed-tables.ts';
import { statementsOf, type Statements } from '../sqlite/statements.ts';

/** The SQLite file in which a machine keeps its release lists, actions and decisions. */
export interface MachineFile {
  /** The path of the file. */
  readonly path: string;
  /** @internal */
  readonly database: DatabaseSync;
  /** @internal */
  readonly sql: Statements;
  /** @internal Throws a DatabaseError if the file is no longer at its path. */
  readonly checkInPlace?: () => void;
  /** Closes the file. Closing it again does nothing. */
  close(): void;
}

const OPTIONS = {
  mode: optional(oneOf('create', 'write', 'read', 'inspect')),
  busyTimeoutMs: optional(BUSY_TIMEOUT),
};

/** How long a statement waits for another process by default. */
export const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the file at `path` for its release lists, with or without a running poller; a `Poller` needs `openForPoller`. By
 * default the file and its folder are created; `write` requires an existing file, `read` also accepts a read-only
 * file, and `inspect` changes no file, not even those that SQLite keeps beside it. The path `:memory:` is a new database in memory. While another process writes, it waits for up to `busyTimeoutMs` milliseconds, 5000 by default. Throws a
 * DatabaseError if the file cannot be used.
 *
 * @example
 * ```ts
 * import { openRegistries } from 'modreg/registry';
 * import { openMachineFile, savedListsIn } from 'modreg/store';
 *
 * const file = openMachineFile('machine.db');
 * export const registries = openRegistries({ saved: savedListsIn(file) });
 * ```
 */
export function openMachineFile(
  path: string,
  options: {
    readonly mode?: 'create' | 'write' | 'read' | 'inspect';
    readonly busyTimeoutMs?: number;
  } = {},
): MachineFile {
  expectArgument('openMachineFile()', 'path', path, TEXT);
  expectMembers('openMachineFile()', 'options', options, OPTIONS);
  expectSpelling('openMachineFile()', 'options', options, OPTIONS);
  const { mode = 'create', busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const holdOff = (): (() => void) => holdOffPollers(path);
  const file = machineFileIn(openDatabase(path, LAYOUT, { mode, busyTimeoutMs, holdOff }), path);
  try {
    checkRows(file.sql);
    if (mode === 'create' || mode === 'write') sealWrites(file.database);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The file that a poller locks. */
export function lockOf(path: string): string {
  return `${path}-poller`;
}

/** Keeps pollers from the file, so that no upgrade breaks a running one (T71). Returns how to let them use it. */
function holdOffPollers(path: string): () => void {
  try {
    return holdExclusively(lockOf(realpathSync(path)), 0);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    const message = `${quote(path)}: its schema needs an upgrade that would stop the running process of an earlier modreg`;
    throw new DatabaseError('locked', `${message}; nothing was changed: stop the agent first`, {
      file: path,
      cause: error,
    });
  }
}

/**
 * @internal Runs `work` as one write transaction, and again in the space of the reserve if the disk is full (T344). A claimed file
 * that was replaced or removed is not written.
 */
export function writeTo<T>({ path, database, checkInPlace }: MachineFile, work: () => T): T {
  const write = (): T =>
    translated(path, () => {
      checkInPlace?.();
      return transaction(database, work);
    });
  try {
    return write();
  } catch (error) {
    if (!isOfFullDisk(error) || !freeReserve(path)) throw error;
    return write();
  }
}

/** SQLite's code of a full disk. */
const FULL = 13;

function isOfFullDisk(error: unknown): boolean {
  return error instanceof DatabaseError && Object(error.cause).errcode === FULL;
}

/** @internal The machine's file that `database` has open and that contains the machine's tables. */
export function machineFileIn(database: DatabaseSync, path: string): MachineFile {
  return {
    path,
    database,
    sql: statementsOf(database, path),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
