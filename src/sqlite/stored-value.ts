import { excerpt, quote } from '../core/text/quote.ts';
import type { Result } from '../core/text/result.ts';
import { DatabaseError } from './database-error.ts';
import type { Row } from './statements.ts';

interface File {
  readonly path: string;
}

/** Where a value is, in a file that only modreg writes. */
interface Place {
  readonly table: string;
  /** What identifies the row. */
  readonly row: unknown;
  /** Undefined if the row as a whole cannot be there. */
  readonly column: string | undefined;
}

/** The error for what modreg does not write there. The message names table, row and column. */
export function damagedValue(
  { path }: File,
  { table, row, column }: Place,
  why: string,
): DatabaseError {
  const of = column === undefined ? table : `${table}, column ${column}`;
  const where = `row ${excerpt(String(row))} of ${of}`;
  return new DatabaseError('damaged', `${quote(path)}: ${where}: ${why}`, { file: path });
}

/** The value of a stored JSON text; undefined if it is not JSON. */
export function storedJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The value of a column with JSON. Throws a DatabaseError if it is not JSON, or `isExpected` refuses it. `key` is the column that identifies a row. */
export function jsonIn<T>(
  row: Row,
  { table, key, column }: { readonly table: string; readonly key: string; readonly column: string },
  file: File,
  isExpected: (value: unknown) => value is T,
): T {
  const value = storedJson(row[column]);
  if (isExpected(value)) return value;
  const why =
    value === undefined ? 'it is not JSON' : 'a value is missing or has an unexpected type';
  throw damagedValue(file, { table, row: row[key], column }, why);
}

/** The result of `read`, or the error that says what it finds damaged, so that what else the file has can be read. */
export function unlessDamaged<T>(read: () => T): Result<T, DatabaseError> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof DatabaseError && error.kind === 'damaged')) throw error;
    return { ok: false, error };
  }
}
