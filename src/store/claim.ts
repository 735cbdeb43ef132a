import { realpathSync, renameSync, statSync } from 'node:fs';
import { expectArgument, TEXT } from '../core/text/argument.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { CLOSED, DatabaseError } from '../sqlite/database-error.ts';
import {
  closeUnchanged,
  IN_MEMORY,
  isUnfinished,
  laterSchema,
  openDatabase,
  transaction,
  translated,
} from '../sqlite/database.ts';
import { holdExclusively, isHeld } from '../sqlite/exclusive-lock.ts';
import { inPlaceCheck } from '../sqlite/in-place.ts';
import { integrityOf } from '../sqlite/integrity.ts';
import { integrityLines } from '../sqlite/integrity-lines.ts';
import { isThere } from '../sqlite/is-there.ts';
import { makeFolderOf } from '../sqlite/make-folder.ts';
import { schemaIn, type Layout } from '../sqlite/schema.ts';
import { setDamagedRowsAside } from './damaged-rows.ts';
import { freeToOpen } from './reserve.ts';
import { sealWrites } from './sealed-tables.ts';
import { lostMemory, SET_ASIDE } from './lost-memory.ts';
import {
  BUSY_TIMEOUT_MS,
  lockOf,
  machineFileIn,
  openMachineFile,
  type MachineFile,
} from './machine-file.ts';
import { LAYOUT } from './machine-layout.ts';
import { machineStateIn, type MachineState } from './machine-state.ts';

/** A machine's file, locked by this process for one poller. */
export interface ClaimedFile extends MachineFile {
  /** @internal */
  readonly state: MachineState;
  /** The file that was at the path and could not be used; undefined if there was none. */
  readonly setAside:
    | {
        /** Where it is now. */
        readonly path: string;
        /** Why it could not be used, in one escaped line. */
        readonly because: string;
      }
    | undefined;
  /** What damaged rows contained that were set aside, and what happens instead: one escaped line for each. */
  readonly lostRows: readonly string[];
  /** @internal Whether nothing says that a poller has used it before, nor a file that was lost (D73). */
  readonly isNew: boolean;
}

type VerifiedFile = MachineFile & Pick<ClaimedFile, 'lostRows'>;
type SetAside = NonNullable<ClaimedFile['setAside']>;

/** SQLite's code for a header that does not permit writing. */
const READ_ONLY = 8;
/** SQLite's codes for damage that no schema explains: broken pages, and a file that is not a database. */
const BROKEN: ReadonlySet<unknown> = new Set([11, 26]);
/** SQLite's code for a table without an expected column. */
const NO_SUCH_COLUMN = 1;
/** Long enough for another poller that is about to end. */
const CLAIM_TIMEOUT_MS = 250;
/** A database file and the files that SQLite keeps beside it. */
const SUFFIXES = ['', '-wal', '-shm'];

/**
 * Opens the machine's file at `path` for a `Poller`. No other process can do so until it is closed or this process ends.
 * A damaged file is set aside, and a new one is created (T53). A file that a later modreg wrote is used if it allows that,
 * and stays unchanged otherwise: an error of the kind `later-schema` (T71). If the file is replaced or removed while it is
 * open, nothing is written to it any more, so its `Poller` delivers nothing until the process starts again. Throws a DatabaseError if the file cannot be
 * used; an error of the kind `locked` names the process that polls (T58). The path `:memory:` is a new database in memory,
 * for tests.
 *
 * @example
 * ```ts
 * import { openForPoller } from 'modreg/store';
 *
 * const file = openForPoller('machine.db');
 * if (file.setAside) console.error(`${file.setAside.because}; it is ${file.setAside.path} now`);
 * file.close();
 * ```
 */
export function openForPoller(path: string): ClaimedFile {
  expectArgument('openForPoller()', 'path', path, TEXT);
  return path === IN_MEMORY ? claimedInMemory() : claimFile(path, LAYOUT);
}

/** No other process can open it, so nothing locks it. */
function claimedInMemory(): ClaimedFile {
  const file = openMachineFile(IN_MEMORY);
  const state = machineStateIn(file);
  return { ...file, state, setAside: undefined, lostRows: [], isNew: true };
}

/** @internal `openForPoller` of a program with `layout`, which differs from `LAYOUT` in tests of an upgrade. */
export function claimFile(path: string, layout: Layout): ClaimedFile {
  // One file has one lock, even if links give it several names.
  const real = translated(path, () => (isThere(path) ? realpathSync(path) : path));
  const release = lock(real);
  try {
    freeToOpen(real);
    const { file, setAside } = openOrReplace(real, layout);
    const close = (): void => {
      file.close();
      release();
    };
    // Another poller may have a file that replaces this one, so nothing is delivered from this one then.
    const checkInPlace = inPlaceCheck(real);
    const inPlace = { ...file, checkInPlace };
    const state = machineStateIn(inPlace);
    return { ...inPlace, state, setAside, isNew: isUnused(file, state), close };
  } catch (error) {
    release();
    throw error;
  }
}

/** @internal Whether no poller has used the file, as far as it says, nor a file that was lost (D73). */
export function isUnused(file: MachineFile, state: MachineState): boolean {
  const { isBlank, starts } = state.memory();
  const hasPast = !isBlank || starts.length > 0 || state.poller().round !== undefined;
  return !hasPast && lostMemory(file) === undefined;
}

/** Whether the error says that this process has closed the file. */
export function isOfClosedFile({ cause }: DatabaseError): boolean {
  return Object(cause).code === CLOSED;
}

/** Whether a poller has the machine's file at `path`, which exists. The poller does not notice. */
export function isPolled(path: string): boolean {
  return isHeld(lockOf(translated(path, () => realpathSync(path))));
}

function lock(path: string): () => void {
  translated(path, () => makeFolderOf(path));
  try {
    return holdExclusively(lockOf(path), CLAIM_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    const by = otherPid(path);
    const message = `${quote(path)}: ${by} already polls for this machine, and only one process can`;
    throw new DatabaseError('locked', message, { file: path, cause: error });
  }
}

function otherPid(path: string): string {
  try {
    const file = openMachineFile(path, { mode: 'read', busyTimeoutMs: CLAIM_TIMEOUT_MS });
    const { pid } = machineStateIn(file).poller();
    file.close();
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch (error) {
    if (error instanceof DatabaseError) return 'another process';
    throw error;
  }
}

function openOrReplace(
  path: string,
  layout: Layout,
): { file: VerifiedFile; setAside: SetAside | undefined } {
  translated(path, () => setRestAside(path));
  const checked = (): VerifiedFile => {
    check(path);
    return verified(path, layout);
  };
  try {
    return { file: foundTwice(checked), setAside: undefined };
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isReplaced(error)) throw error;
    const aside = translated(path, () => setFileAside(path));
    return { file: verified(path, layout), setAside: { path: aside, because: error.message } };
  }
}

/** Opens a file, and believes in its damage only if it is there again: SQLite takes an error of the disk for damage, too (T110). */
function foundTwice(open: () => VerifiedFile): VerifiedFile {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isReplaced(error)) throw error;
    return open();
  }
}

/** Throws if SQLite finds damage in the file, which stays unchanged. */
function check(path: string): void {
  const stat = translated(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stat?.isFile() !== true) return;
  // Its content may be lost. After an earlier loss this says nothing new, and a full disk would add a file at each start (T100).
  const isEmptied = (): boolean =>
    stat.size === 0 && !isThere(`${path}${SET_ASIDE}1`) && !isUnfinished(path);
  if (translated(path, isEmptied)) {
    throw new DatabaseError('damaged', `${quote(path)}: it is empty`);
  }
  const found = translated(path, () => integrityOf(path));
  if (found !== 'ok')
    throw new DatabaseError(
      'damaged',
      `${quote(path)}: ${excerpt(integrityLines(found).join('; '))}`,
    );
}

/** Opens the file, and reads and writes it as a poller does, which finds damage that a check misses. */
function verified(path: string, layout: Layout): VerifiedFile {
  const opening = { mode: 'create', busyTimeoutMs: BUSY_TIMEOUT_MS } as const;
  const file = machineFileIn(openDatabase(path, layout, opening), path);
  const [schema, known] = [schemaIn(file.database).version, layout.migrations.length];
  try {
    const lostRows = translated(path, () => {
      sealWrites(file.database);
      return transaction(file.database, () => setDamagedRowsAside(file.sql));
    });
    machineStateIn(file).memory();
    notePid(file);
    return { ...file, lostRows };
  } catch (error) {
    if (schema <= known || !isUnknownContent(error)) {
      file.close();
      throw error;
    }
    closeUnchanged(file.database, path);
    const found = `it has schema ${schema}, and this modreg, which knows ${known}, cannot read its content (${error.message})`;
    throw laterSchema(path, layout, found);
  }
}

/** Whether the error may come from content that a later modreg wrote, and not from damage. */
function isUnknownContent(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && isReplaced(error) && !BROKEN.has(codeOf(error));
}

/** The pid is only for messages, so a full disk does not stop the poller. */
function notePid({ sql }: MachineFile): void {
  try {
    sql.run('UPDATE poller SET pid = ?', process.pid);
  } catch (error) {
    const isFull = error instanceof DatabaseError && error.kind === 'unwritable';
    if (!isFull || isReplaced(error)) throw error;
  }
}

/** Whether the file is replaced by a blank one. A new file does not fix any other error. */
function isReplaced(error: DatabaseError): boolean {
  const code = codeOf(error);
  // The system permits writing, so the cause is in the file itself.
  return error.kind === 'damaged' || code === NO_SUCH_COLUMN || code === READ_ONLY;
}

/** The code of SQLite; undefined if the error is not one of SQLite. */
function codeOf({ cause }: DatabaseError): number | undefined {
  const { errcode } = Object(cause) as { readonly errcode?: number };
  return errcode;
}

/** Renames the file, so that an operator can examine it. Returns its new path. */
function setFileAside(path: string): string {
  const aside = `${path}${SET_ASIDE}${setAsideOf(path) + 1}`;
  moveAside(path, aside);
  return aside;
}

/**
 * After a crash between two of these renames, what is left belongs to the file that was set aside last: a new file must not be
 * opened beside it, which would lose the last transactions of the one before it (T354).
 */
function setRestAside(path: string): void {
  if (isThere(path)) return;
  moveAside(path, `${path}${SET_ASIDE}${Math.max(1, setAsideOf(path))}`);
}

/** How many files were set aside. */
function setAsideOf(path: string): number {
  let number = 0;
  while (isThere(`${path}${SET_ASIDE}${number + 1}`)) number++;
  return number;
}

/** The database first: without it, the next start finds the rest and moves that. */
function moveAside(path: string, aside: string): void {
  for (const suffix of SUFFIXES) {
    if (isThere(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
}
