import { jsonPointer, type Path } from '../../core/text/json-pointer.ts';
import { describeValue, excerpt } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import type { ReleaseRecord, ReleaseRecords } from '../../core/index.ts';
import type { ReleaseList } from '../registry.ts';

/** A release list, whatever its format. */
export type DecodedList = Pick<ReleaseList, 'records' | 'dropped' | 'generation'>;

/** The entries of a document that has been parsed and checked. None of them has been decoded. */
export interface ListEntries {
  readonly length: number;
  readonly generation?: number | undefined;
  /** The version of an entry as its record has it. */
  readonly versionAt: (index: number) => string;
  /** The record of an entry. What it lacks, because it cannot be read, is reported. */
  readonly decode: (index: number, drop: Drop) => ReleaseRecord;
  /** Whether `decode` certainly reports nothing. Takes a fraction of its time. */
  readonly isClean: (index: number) => boolean;
  /** The indexes of the floors; absent if the format has no floors. */
  readonly floors?: () => readonly number[];
  /** Reports what cannot be read outside the entries. */
  readonly check?: (drop: Drop) => void;
}

/**
 * A list whose entries are decoded when they are read. The first read of `dropped` checks all of them. A spread is a
 * read, so `from` is passed here.
 */
export function lazyList<T extends object>(entries: ListEntries, from: T): DecodedList & T {
  let dropped: string[] | undefined;
  return {
    ...from,
    records: lazyRecords(entries),
    generation: entries.generation,
    get dropped() {
      return (dropped ??= droppedFrom(entries));
    },
  };
}

function droppedFrom(entries: ListEntries): string[] {
  const dropped: string[] = [];
  const drop = dropInto(dropped);
  entries.check?.(drop);
  for (let index = 0; index < entries.length; index++) {
    if (!entries.isClean(index)) entries.decode(index, drop);
  }
  return dropped;
}

function lazyRecords({
  length,
  versionAt,
  decode,
  floors = () => [],
}: ListEntries): ReleaseRecords {
  const decoded = (index: number): ReleaseRecord => decode(index, ignored);
  return {
    length,
    versionAt,
    floors,
    at(index) {
      const place = index < 0 ? length + index : index;
      return place >= 0 && place < length ? decoded(place) : undefined;
    },
    *[Symbol.iterator]() {
      for (let index = 0; index < length; index++) yield decoded(index);
    },
  };
}

const ignored: Drop = () => undefined;

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
