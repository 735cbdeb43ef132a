import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import type { Row } from '../sqlite/statements.ts';

/** What the file at `path` holds as JSON. Throws a DatabaseError where it is none any more, or is not whole. */
export function jsonIn<T>(
  text: Row[string] | undefined,
  { path }: { readonly path: string },
  isWhole: (value: unknown) => value is T,
): T {
  const value = parsed(String(text), path);
  if (isWhole(value)) return value;
  throw new DatabaseError('damaged', `${quote(path)}: what is stored is not whole any more`);
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DatabaseError('damaged', `${quote(path)}: what is stored is no JSON any more`, error);
  }
}

export function textOf(value: Row[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: Row[string] | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
