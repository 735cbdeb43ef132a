import { excerpt, quote } from '../core/text/quote.ts';

/**
 * A SQLite file cannot be used. The message is one escaped line: the file, and what was found.
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
  /** The kind of error, for a program. */
  readonly kind:
    /** There is no file, or another file has taken its place. */
    | 'missing'
    /** It is not a SQLite file, or is incomplete. */
    | 'damaged'
    /** It belongs to another program, or cannot be opened. */
    | 'unreadable'
    /** A later version of modreg wrote it. */
    | 'later-schema'
    /** Another process kept it locked for longer than the wait. */
    | 'locked'
    /** It cannot be written: the disk is full, or it is read-only. */
    | 'unwritable';

  /** `cause` is the error of SQLite or of the file system. */
  constructor(kind: DatabaseError['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** The kind of a DatabaseError. */
export type DatabaseErrorKind = DatabaseError['kind'];

/** SQLite's primary result codes, as far as they tell one trouble from another. */
const KINDS: ReadonlyMap<number, DatabaseErrorKind> = new Map([
  [1, 'unreadable'], // SQLITE_ERROR: a table is not there
  [5, 'locked'], // SQLITE_BUSY
  [6, 'locked'], // SQLITE_LOCKED
  [7, 'unreadable'], // SQLITE_NOMEM: a damaged record asks for more than there is
  [8, 'unwritable'], // SQLITE_READONLY
  [10, 'unwritable'], // SQLITE_IOERR
  [11, 'damaged'], // SQLITE_CORRUPT
  [13, 'unwritable'], // SQLITE_FULL
  [14, 'unreadable'], // SQLITE_CANTOPEN
  [19, 'damaged'], // SQLITE_CONSTRAINT: an index holds what its table does not
  [26, 'damaged'], // SQLITE_NOTADB
]);

/** What the file system says where SQLite's file should be. */
const FILE_SYSTEM: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
]);

/** What Node says of a number in the file that JavaScript has none for: nothing of ours writes one. */
const BEYOND_NUMBERS = 'ERR_OUT_OF_RANGE';
/** What Node says once a database is closed. */
const CLOSED = 'ERR_INVALID_STATE';

/** `error`, which SQLite or the file system threw, as a `DatabaseError`; anything else as it is. */
export function asDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '', errcode } = error as { readonly code?: string; readonly errcode?: number };
  const kind = errcode === undefined ? undefined : KINDS.get(errcode & 0xff);
  if (kind) return new DatabaseError(kind, `${quote(file)}: ${excerpt(error.message)}`, error);
  if (code === CLOSED) {
    return new DatabaseError('unreadable', `${quote(file)}: it was closed`, error);
  }
  if (code === BEYOND_NUMBERS) {
    return new DatabaseError(
      'damaged',
      `${quote(file)}: a number in it is too large to be read`,
      error,
    );
  }
  if (!FILE_SYSTEM.has(code)) return error;
  return new DatabaseError('unwritable', `${quote(file)}: it cannot be made (${code})`, error);
}
