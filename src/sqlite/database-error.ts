import { excerpt, quote } from '../core/text/quote.ts';

/** What is wrong with a SQLite file. */
export type DatabaseErrorKind =
  /** There is none. */
  | 'missing'
  /** It is no SQLite file, or not whole. */
  | 'damaged'
  /** It belongs to another program, or cannot be opened. */
  | 'unreadable'
  /** A later version of modreg wrote it. */
  | 'later-schema'
  /** Another process holds it for too long. */
  | 'locked'
  /** It cannot be written: the disk is full, or it is read-only. */
  | 'unwritable';

/** A SQLite file cannot be used. The message is one escaped line: which file, and what was found. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;

  constructor(kind: DatabaseErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

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

/** `error`, which SQLite or the file system threw, as a `DatabaseError`; anything else as it is. */
export function asDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '', errcode } = error as { readonly code?: string; readonly errcode?: number };
  const kind = errcode === undefined ? undefined : KINDS.get(errcode & 0xff);
  if (kind) return new DatabaseError(kind, `${quote(file)}: ${excerpt(error.message)}`, error);
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
