import { existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { excerpt, quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { integrityOf, translated } from '../sqlite/database.ts';
import { holdExclusively } from '../sqlite/exclusive-lock.ts';
import { openMachineFile, type MachineFile } from './machine-file.ts';
import { machineStateIn, type MachineState } from './machine-state.ts';

/** A machine's file, held by this process for one poller. */
export interface ClaimedFile extends MachineFile {
  /** @internal */
  readonly state: MachineState;
  /** The file that was at the path and could not be used; undefined where there was none. */
  readonly setAside:
    | {
        /** Where it is now. */
        readonly path: string;
        /** Why it could not be used, in one escaped line. */
        readonly because: string;
      }
    | undefined;
}

type SetAside = NonNullable<ClaimedFile['setAside']>;

/** What a blank file takes the place of. What else may be wrong with a file is not mended by another. */
const REPLACED: ReadonlySet<DatabaseError['kind']> = new Set(['damaged', 'later-schema']);
/** SQLite's codes for what a table that is not ours, and a header that is not whole, come to. */
const [NO_SUCH_COLUMN, READ_ONLY] = [1, 8];
/** Another poller may be about to end. */
const CLAIM_TIMEOUT_MS = 250;
/** What SQLite keeps beside a file. */
const BESIDE = ['', '-wal', '-shm'];

/**
 * Opens the machine's file at `path` for a `Poller`. No other process can do so until it is closed or this process ends.
 * A damaged file, or one that a later version of modreg wrote, is set aside, and a new one is created. Throws a
 * DatabaseError where the file cannot be used; that of the kind `locked` names the process that polls. (T53, T58)
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
  // By whichever name: a link leads to the same file.
  const real = existsSync(path) ? translated(path, () => realpathSync(path)) : path;
  const release = lock(real);
  try {
    const { file, setAside } = openWhole(real);
    const close = (): void => {
      file.close();
      release();
    };
    return { ...file, state: machineStateIn(file), setAside, close };
  } catch (error) {
    release();
    throw error;
  }
}

function lock(path: string): () => void {
  try {
    return holdExclusively(`${path}-poller`, CLAIM_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    const by = otherPid(path);
    const message = `${quote(path)}: ${by} polls for this machine already, and nobody else can`;
    throw new DatabaseError('locked', message, error);
  }
}

function otherPid(path: string): string {
  try {
    const file = openMachineFile(path, { mode: 'read', patienceMs: CLAIM_TIMEOUT_MS });
    const { pid } = machineStateIn(file).poller();
    file.close();
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch (error) {
    if (error instanceof DatabaseError) return 'another process';
    throw error;
  }
}

function openWhole(path: string): { file: MachineFile; setAside: SetAside | undefined } {
  try {
    check(path);
    return { file: used(openMachineFile(path)), setAside: undefined };
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isReplaced(error)) throw error;
    const aside = translated(path, () => setFileAside(path));
    return { file: used(openMachineFile(path)), setAside: { path: aside, because: error.message } };
  }
}

/** Throws unless SQLite finds nothing wrong with the file, which is left as it is. */
function check(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const found = translated(path, () => integrityOf(path));
  if (found !== 'ok') throw new DatabaseError('damaged', `${quote(path)}: ${excerpt(found)}`);
}

/** Reads and writes it, as a poller does: what a check does not see may be in the way of that. */
function used(file: MachineFile): MachineFile {
  try {
    machineStateIn(file).memory();
    notePid(file);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** It is told to a person who asks who polls: a full disk is no reason not to. */
function notePid({ sql }: MachineFile): void {
  try {
    sql.run('UPDATE poller SET pid = ?', process.pid);
  } catch (error) {
    const isFull = error instanceof DatabaseError && error.kind === 'unwritable';
    if (!isFull || isReplaced(error)) throw error;
  }
}

function isReplaced(error: DatabaseError): boolean {
  const { errcode } = Object(error.cause) as { readonly errcode?: number };
  // The system lets it be written, so it is the file itself that says no.
  const isDamaged = errcode === NO_SUCH_COLUMN || errcode === READ_ONLY;
  return REPLACED.has(error.kind) || isDamaged;
}

/** Nothing is erased: a person may want to look at it. */
function setFileAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.set-aside-${number}`)) number++;
  const aside = `${path}.set-aside-${number}`;
  for (const suffix of BESIDE) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}
