import { jsonPointer, type Path } from '../../core/text/json-pointer.ts';
import { describeValue, excerpt } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import type { ReleaseList } from '../registry.ts';

/** The release list of a module, decoded from whichever format its registry uses. */
export type DecodedList = Pick<ReleaseList, 'records' | 'dropped' | 'generation'>;

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
