import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readSync,
  linkSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { asDatabaseError, DatabaseError } from '../../sqlite/database-error.ts';
import { openDatabase, transaction } from '../../sqlite/database.ts';
import { holdExclusively } from '../../sqlite/exclusive-lock.ts';
import { makeFolder } from '../../sqlite/make-folder.ts';
import { openUnchecked } from '../../sqlite/other-openings.ts';
import { statementsOf } from '../../sqlite/statements.ts';
import { giveName } from '../../files/replace-file.ts';
import { syncFile, syncFolder } from '../../files/sync.ts';
import { unconfirmAll } from '../accounts/account-table.ts';
import { haltAll } from '../catalogue/rollout-table.ts';
import { SCHEMA } from '../catalogue/catalogue-schema.ts';
import { dropWaiting } from '../commands/command-table.ts';
import { raiseRevisions } from '../configs/config-table.ts';
import { storeDocument } from '../catalogue/trust-table.ts';
import { withoutLog } from './backup.ts';
import { backupFile, checkBackup } from './backup-folder.ts';
import type { Finding } from './catalogue-check.ts';
import { copyDurably, isSame, PART, summaryOf } from './durable-files.ts';
import { mismatch } from './file-check.ts';
import { asFolderError } from './folder-error.ts';
import type { Manifest } from './manifest.ts';
import { ownerAt, type Own } from './owner.ts';
import { lossesOf, trustIn, type Losses } from './restore-losses.ts';

/** The result of a restore. Only `done` changed the registry. */
export type RestoreResult =
  | {
      readonly kind: 'done';
      readonly manifest: Manifest;
      /** What was added to each generation and to the sequence. */
      readonly added: number;
      /** Where the earlier registry is now; undefined if there was none. */
      readonly setAside: string | undefined;
      /** What the earlier registry had and the backup has not; undefined if it could not be read, or there was none. */
      readonly losses: Losses | undefined;
      /** The accounts, none of which opens anything until it is confirmed. */
      readonly accounts: readonly string[];
    }
  | { readonly kind: 'damaged'; readonly findings: readonly Finding[] }
  /** There is a registry, and the caller does not replace it. */
  | { readonly kind: 'exists'; readonly path: string }
  /** Another process restores it. */
  | { readonly kind: 'restoring'; readonly path: string };

/** Clients refuse a lower generation, so those of changes since the backup are skipped (D43). */
const STEP = 1000;
const BUSY_TIMEOUT_MS = 2000;
/** Of two processes that begin at once, one gets the lock in this time. */
const LOCK_TIMEOUT_MS = 100;
/** How each SQLite file begins. */
const MAGIC = 'SQLite format 3\0';

/** The earlier registry, which no other process can open until it is released. */
interface Held {
  /** Undefined if there is none, or if it is not a database. */
  readonly database: DatabaseSync | undefined;
  readonly release: () => void;
}

/**
 * Restores the backup in `folder` to the registry at `path`. An earlier registry there is kept under another name, if
 * `replaces`; no process may use it. Whenever this process is killed, the earlier or the restored registry is at `path`
 * (T76). Throws a DatabaseError, of the kind `locked` if a process uses the registry.
 */
export function restore(
  folder: string,
  path: string,
  { replaces, now }: { readonly replaces: boolean; readonly now: number },
): RestoreResult {
  const { manifest, findings } = checkBackup(folder);
  if (!manifest || findings.length > 0) return { kind: 'damaged', findings };
  try {
    makeOwnFolder(dirname(resolve(path)));
    // Like the server, follows a link to the file.
    const target = existsSync(path) ? realpathSync(path) : resolve(path);
    if (existsSync(target) && !replaces) return { kind: 'exists', path: target };
    const release = holdAlone(target);
    if (!release) return { kind: 'restoring', path: target };
    try {
      // Another process may have restored it in the meantime.
      if (existsSync(target) && !replaces) return { kind: 'exists', path: target };
      return replaced(folder, manifest, target, now);
    } finally {
      release();
    }
  } catch (error) {
    throw asFolderError(path, error);
  }
}

function makeOwnFolder(folder: string): void {
  if (existsSync(folder)) return;
  const own = ownerAt(folder);
  makeFolder(folder);
  own(folder);
  syncFolder(dirname(folder));
}

/** Keeps other restores of `path` from beginning. Undefined if one is in progress (T105). */
function holdAlone(path: string): (() => void) | undefined {
  try {
    const lock = `${path}-restore.lock`;
    const release = holdExclusively(lock, LOCK_TIMEOUT_MS);
    ownerAt(path)(lock);
    return release;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'locked') return undefined;
    throw error;
  }
}

function replaced(folder: string, manifest: Manifest, path: string, now: number): RestoreResult {
  removeLeftovers(path);
  const { database, release } = holdUnused(path);
  const part = `${path}.${process.pid}${PART}`;
  try {
    const backupDatabase = `${folder}/${manifest.database.name}`;
    const losses = database && lossesOf(database, path, backupDatabase);
    const added = STEP * Math.max(1, Math.ceil(((losses?.ahead ?? 0) + 1) / STEP));
    const copied = copyDurably(backupDatabase, part, manifest.database);
    if (!isSame(copied, manifest.database)) {
      return {
        kind: 'damaged',
        findings: [`${quote(backupDatabase)}: it was changed while it was restored`],
      };
    }
    const documents = database ? trustIn(database, path) : [];
    const accounts = renumber(part, { added, now, documents });
    const own = ownerAt(path);
    own(part);
    copyFiles({ folder, manifest, path, own });
    const setAside = keepEarlier(path, now);
    giveName(part, path);
    return { kind: 'done', manifest, added, setAside, losses, accounts };
  } finally {
    rmSync(part, { force: true });
    release();
  }
}

interface Renumbering {
  readonly added: number;
  readonly now: number;
  /** The trust documents of the registry that is replaced. */
  readonly documents: readonly string[];
}

/**
 * Adds to all numbers, so that no client sees a lower one, and begins another history (D43). The file of a front becomes that of a single
 * server, because no stream has what it is now (T241). Returns the names of the accounts, which are to be confirmed.
 */
function renumber(part: string, { added, now, documents }: Renumbering): readonly string[] {
  const database = openDatabase(part, SCHEMA, { mode: 'write', busyTimeoutMs: BUSY_TIMEOUT_MS });
  const sql = statementsOf(database, part);
  const accounts = transaction(database, () => {
    sql.run('UPDATE modules SET generation = generation + ?1, sequence = sequence + ?1', added);
    const history = randomBytes(16).toString('hex');
    sql.run(
      'UPDATE catalogue SET sequence = sequence + ?1, first_generation = first_generation + ?1, history = ?2, shared_history = NULL',
      added,
      history,
    );
    sql.run('DELETE FROM events');
    // Machines never go back to an earlier version (D169). What does not follow is refused.
    for (const text of documents) storeDocument(sql, text);
    raiseRevisions(sql, added);
    dropWaiting(sql, { added, now });
    // A rollout may have been halted since the backup (D56).
    haltAll(sql, { because: 'the registry was restored from a backup', at: now });
    return unconfirmAll(sql);
  });
  withoutLog(database);
  syncFile(part);
  return accounts;
}

interface Copying {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly path: string;
  readonly own: Own;
}

/** Before the database: what releases list must exist. Files that the earlier registry had stay. */
function copyFiles({ folder, manifest: { files }, path, own }: Copying): void {
  if (files.length === 0) return;
  // The folder of a registry that does not exist yet is beside its future file.
  const beside = `${path}-files`;
  for (const one of [beside, `${beside}/sha256`, `${beside}/incoming`]) {
    makeFolder(one);
    own(one);
    syncFolder(dirname(one));
  }
  for (const { sha256, size } of files) {
    const place = `${beside}/sha256/${sha256}`;
    const isThere = mismatch(place, sha256, size) === undefined;
    const copied = isThere
      ? { sha256, size }
      : copyDurably(backupFile(folder, sha256), place, { sha256, size });
    if (!isSame(copied, { sha256, size })) {
      throw new DatabaseError(
        'damaged',
        `${quote(backupFile(folder, sha256))}: it was changed while it was restored`,
      );
    }
    // Also one that a killed restore left.
    own(place);
  }
}

/** Gives the earlier registry and its log a second name, under which it stays when the restored one gets the first. */
function keepEarlier(path: string, now: number): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
  const time = formatTime(now).replaceAll(/[-:]|\.\d+/g, '');
  let aside = `${path}.replaced-${time}`;
  for (let number = 2; existsSync(aside); number++) aside = `${path}.replaced-${time}-${number}`;
  link(path, aside);
  // The log of a damaged file, which SQLite would read as that of the restored one.
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  syncFolder(dirname(path));
  return aside;
}

/** A second name for a file; a copy where the file system has no second names. */
function link(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyDurably(path, aside, summaryOf(path));
  }
}

function isDatabase(path: string): boolean {
  const descriptor = openSync(path, 'r');
  try {
    const head = Buffer.alloc(MAGIC.length);
    readSync(descriptor, head);
    return head.toString('latin1') === MAGIC;
  } finally {
    closeSync(descriptor);
  }
}

/** Parts and second names that killed restores left. */
function removeLeftovers(path: string): void {
  const name = basename(path);
  const current = statSync(path, { throwIfNoEntry: false })?.ino;
  for (const one of readdirSync(dirname(path))) {
    const file = join(dirname(path), one);
    const isPart = one.startsWith(`${name}.`) && /\.\d+\.part(\.part|-[a-z]+)?$/.test(one);
    const isSecondName =
      one.startsWith(`${name}.replaced-`) &&
      current !== undefined &&
      statSync(file).ino === current;
    if (isPart || isSecondName) rmSync(file, { force: true });
  }
}

/**
 * Keeps other processes from opening the registry at `path`, and moves its log into it. Throws a DatabaseError of the kind
 * `locked` if another process has it open. A file that is not a database is not held.
 */
function holdUnused(path: string): Held {
  const nothing = { database: undefined, release: () => undefined };
  // SQLite would remove the log of a file that is not a database.
  if (!existsSync(path) || !isDatabase(path)) return nothing;
  const database = openUnchecked(path, BUSY_TIMEOUT_MS);
  try {
    // SQLite leaves the log only if no other connection exists, however idle.
    database.exec('PRAGMA journal_mode = DELETE');
    database.exec('BEGIN EXCLUSIVE');
    return { database, release: () => database.close() };
  } catch (error) {
    database.close();
    const translated = asDatabaseError(error, path);
    if (translated instanceof DatabaseError && translated.kind === 'damaged') return nothing;
    throw translated;
  }
}
