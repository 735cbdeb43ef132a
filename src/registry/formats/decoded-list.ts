import { jsonPointer, type Path } from '../../core/text/json-pointer.ts';
import { describeValue, excerpt } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import type { ReleaseList } from '../registry.ts';

/** A decoded release list, whatever its format. */
export type DecodedList = Pick<ReleaseList, 'records' | 'dropped' | 'generation'>;

/** More entries than any real list has. */
const MOST_ENTRIES = 1_000_000;

/** Throws a `list-too-large` RegistryError if `count` exceeds the limit on entries. */
export function checkLength(count: number): void {
  if (count <= MOST_ENTRIES) return;
  const message = `it has ${count} entries (limit ${MOST_ENTRIES})`;
  throw new RegistryError('list-too-large', message);
}

/** Reports a value that cannot be read: its path, the value, and what was expected. */
export type Drop = (path: Path, value: unknown, expected: string) => void;

/** A `Drop` that appends one escaped line for each value to `dropped`. */
export function dropInto(dropped: string[]): Drop {
  return (path, value, expected) => {
    dropped.push(`${excerpt(jsonPointer(path))} is ${describeValue(value)}, expected ${expected}`);
  };
}
