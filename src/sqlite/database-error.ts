import { excerpt, quote } from '../core/text/quote.ts';

/**
 * A SQLite file cannot be used. The message is one escaped line: the file and the problem.
 *
 * @example
 * ```ts
 * import { Catalogue } from 'modreg/server';
 * import { DatabaseError } from 'modreg/store';
 *
 * try {
 *   new Catalogue('/nowhere/registry.db').close();
 * } catch (error) {
 *   if (!(error instanceof DatabaseError)) throw error;
 *   console.error(error.kind, error.message); // missing "/nowhere/registry.db": there is no such file
 * }
 * ```
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** The kind of error, for programs. */
  readonly kind:
    /** The file does not exist, was replaced while it was open, or only a process that writes makes it readable: its schema is not current yet. */
    | 'missing'
    /** It is not a SQLite file, or is incomplete. */
    | 'damaged'
    /** It belongs to another program, or cannot be opened. */
    | 'unreadable'
    /** A later version of modreg wrote it, and this version does not understand it. It was not changed. */
    | 'later-schema'
    /** Another process kept it locked for longer than the timeout. */
    | 'locked'
    /** It cannot be written: the disk is full, or it is read-only. */
    | 'unwritable';

  /** The path of the file; undefined if the error does not concern a single file, or only its opening could tell. */
  readonly file: string | undefined;

  /** `cause` is the error of SQLite or of the file system. */
  constructor(
    kind: DatabaseError['kind'],
    message: string,
    { file, cause }: { readonly file?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.file = file;
  }
}

/** The kind of a DatabaseError. */
export type DatabaseErrorKind = DatabaseError['kind'];

/** SQLite's primary result codes that modreg distinguishes. */
const KINDS: ReadonlyMap<number, DatabaseErrorKind> = new Map([
  [1, 'unreadable'], // SQLITE_ERROR: a table is missing
  [5, 'locked'], // SQLITE_BUSY
  [6, 'locked'], // SQLITE_LOCKED
  [7, 'unreadable'], // SQLITE_NOMEM: a damaged record claims more memory than is available
  [8, 'unwritable'], // SQLITE_READONLY
  [10, 'unwritable'], // SQLITE_IOERR
  [11, 'damaged'], // SQLITE_CORRUPT
  [13, 'unwritable'], // SQLITE_FULL
  [14, 'unreadable'], // SQLITE_CANTOPEN
  [15, 'locked'], // SQLITE_PROTOCOL: locks fail, or change all the time
  [18, 'damaged'], // SQLITE_TOOBIG: a value is larger than any that modreg stores
  [19, 'damaged'], // SQLITE_CONSTRAINT: an index contains a row that its table does not
  [26, 'damaged'], // SQLITE_NOTADB
]);

/** Error codes of files and folders, also those without a name in Node, such as that of a stale NFS handle. Connections have others. */
const DISK_ERRORS =
  /^(?:E(?:ACCES|BUSY|DQUOT|EXIST|FBIG|INTR|IO|ISDIR|LOOP|MFILE|NAMETOOLONG|NFILE|NOENT|NOSPC|NOTDIR|NXIO|PERM|ROFS|STALE)|Unknown system error .*)$/;
/** The system calls that create a file, or look whether that is permitted. */
const CREATING: ReadonlySet<unknown> = new Set(['open', 'mkdir', 'access']);

/** The code of an error of the file system; undefined for any other error. */
export function diskErrorCode(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && DISK_ERRORS.test(code) ? code : undefined;
}

/** Node's code for an integer beyond JavaScript's range. modreg never writes one. */
const NUMBER_TOO_LARGE = 'ERR_OUT_OF_RANGE';
/** Node's code for the use of a closed database. */
export const CLOSED = 'ERR_INVALID_STATE';

/** SQLite's primary result codes of a value that a row cannot have. */
const OF_VALUES: ReadonlySet<number> = new Set([
  18, // SQLITE_TOOBIG
  19, // SQLITE_CONSTRAINT
  20, // SQLITE_MISMATCH
  25, // SQLITE_RANGE
]);

/**
 * Whether an error is one of the values of some rows, or of a program, and not of the file or of its disk: other rows can be read and
 * written.
 */
export function isOfValues(error: unknown): boolean {
  const found = error instanceof DatabaseError ? error.cause : error;
  const { code = '', errcode } = Object(found) as {
    readonly code?: string;
    readonly errcode?: number;
  };
  if (errcode !== undefined) return OF_VALUES.has(errcode & 0xff);
  if (code === NUMBER_TOO_LARGE) return true;
  return !(error instanceof DatabaseError) && diskErrorCode(error) === undefined;
}

/** Converts an error of SQLite or the file system to a `DatabaseError`; returns any other error unchanged. */
export function asDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '', errcode } = error as { readonly code?: string; readonly errcode?: number };
  const kind = errcode === undefined ? undefined : KINDS.get(errcode & 0xff);
  const origin = { file, cause: error };
  if (kind) return new DatabaseError(kind, `${quote(file)}: ${excerpt(error.message)}`, origin);
  if (code === CLOSED) {
    return new DatabaseError('unreadable', `${quote(file)}: it was closed`, origin);
  }
  if (code === NUMBER_TOO_LARGE) {
    return new DatabaseError(
      'damaged',
      `${quote(file)}: it contains a number that is too large to read`,
      origin,
    );
  }
  const diskCode = diskErrorCode(error);
  if (diskCode === undefined) return error;
  const { syscall } = error as NodeJS.ErrnoException;
  const what = CREATING.has(syscall) ? 'created' : 'used';
  return new DatabaseError(
    'unwritable',
    `${quote(file)}: it cannot be ${what} (${diskCode})`,
    origin,
  );
}

/** The result of `read`, which is called again if it finds damage: SQLite takes an error of the disk for damage, too (T110). */
export function foundTwice<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DatabaseError && error.kind === 'damaged')) throw error;
    return read();
  }
}

/** The result of `work`; undefined if a file cannot be used. */
export function unlessUnusable<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}
