import type { ReleaseRecord } from '../../core/index.ts';
import { jsonPointer, type Path } from '../../core/text/json-pointer.ts';
import { describeValue, excerpt } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';

/** The release list of a module, decoded from whichever format its registry uses. */
export interface DecodedList {
  /** The entries in the order of the list, including those that are not releases. */
  readonly records: readonly ReleaseRecord[];
  /** One escaped line for each part of the list that could not be read. */
  readonly dropped: readonly string[];
  /** A number that grows with each change of the list; undefined where the format has none. */
  readonly generation?: number | undefined;
}

/** More entries than any list has. */
const MOST_ENTRIES = 1_000_000;

/** Refuses a list of `count` entries that is longer than any real one. */
export function checkLength(count: number): void {
  if (count <= MOST_ENTRIES) return;
  const message = `it has ${count} entries, and at most ${MOST_ENTRIES} are read`;
  throw new RegistryError('list-too-large', message);
}

/** Notes that the value at `path` cannot be read. */
export type Drop = (path: Path, value: unknown, expected: string) => void;

export function dropInto(dropped: string[]): Drop {
  return (path, value, expected) => {
    dropped.push(`${excerpt(jsonPointer(path))} is ${describeValue(value)}, expected ${expected}`);
  };
}
