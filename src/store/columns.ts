import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import type { Row } from '../sqlite/statements.ts';

/** Parses JSON that is stored in the file at `path`. Throws a DatabaseError if it is not JSON or not of the type. */
export function jsonIn<T>(
  text: Row[string] | undefined,
  { path }: { readonly path: string },
  isExpected: (value: unknown) => value is T,
): T {
  const value = parsedValue(String(text), path);
  if (isExpected(value)) return value;
  throw new DatabaseError(
    'damaged',
    `${quote(path)}: stored data is damaged: a value is missing or has an unexpected type`,
    { file: path },
  );
}

function parsedValue(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DatabaseError('damaged', `${quote(path)}: stored data is damaged: it is not JSON`, {
      file: path,
      cause: error,
    });
  }
}

export function textOf(value: Row[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: Row[string] | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
