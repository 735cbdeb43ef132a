import { expectArgument, type Expected } from '../text/argument.ts';
import { recordCheck } from './expected-record.ts';
import { versionOf, type ReleaseRecord } from './release.ts';

/**
 * The entries of a release list, in the order of the list; an array of records is one. Other lists may decode an entry
 * whenever it is read, so that reading it twice returns two equal objects. A list never changes.
 */
export interface ReleaseRecords extends Iterable<ReleaseRecord> {
  /** The number of entries. */
  readonly length: number;
  /** The entry at `index`, counted from the end if `index` is negative; undefined if there is none. */
  at(index: number): ReleaseRecord | undefined;
  /** The version of the entry at `index`, from 0, without decoding the rest of it. An array does not have this method. */
  versionAt?(index: number): string;
  /** The indexes of the floors, from 0, without decoding the rest of them. An array does not have this method. */
  floors?(): readonly number[];
}

/** An entry of a release list: a record, or its version alone. */
export type Entry = ReleaseRecord | string;

/** A release list as an index reads it. */
export interface Entries {
  readonly length: number;
  readonly versionAt: (place: number) => string;
  readonly at: (place: number) => Entry | undefined;
  /** The places of the floors. */
  readonly floors: () => readonly number[];
  /** The same as `scan`. Each entry that is not text has to be passed to `check`, which throws for a wrong one. */
  readonly unchecked: () => readonly Entry[];
  readonly check: (found: unknown, place: number) => void;
  /** All entries, or only their versions if those cost less. */
  readonly scan: () => readonly Entry[];
  readonly all: () => readonly Entry[];
}

/** Copies `list`, unless it decodes its entries when they are read. `callee` is named in the error for a wrong one. */
export function entriesOf(list: Iterable<Entry> | ReleaseRecords, callee: string): Entries {
  expectArgument(callee, 'releases', list, LIST_OF_RELEASES);
  if (isUndecoded(list)) {
    const scan = (): string[] =>
      Array.from({ length: list.length }, (_, place) => list.versionAt(place));
    return {
      length: list.length,
      versionAt: (place) => list.versionAt(place),
      at: (place) => list.at(place),
      floors: () => list.floors?.() ?? floorsOf([...list]),
      check: alreadyChecked,
      unchecked: scan,
      scan,
      all: () => [...list],
    };
  }
  return copyOf([...list], recordCheck(callee));
}

/** Records are checked at once. A list that begins with text probably has no record, and a pass for that would take long beside a query. */
function copyOf(entries: readonly Entry[], check: Entries['check']): Entries {
  const isText = typeof entries[0] === 'string';
  const checked = (): readonly Entry[] => {
    for (const [place, entry] of entries.entries()) check(entry, place);
    return entries;
  };
  if (!isText) checked();
  const scan = isText ? checked : () => entries;
  return {
    length: entries.length,
    versionAt: (place) => versionOf(entries[place] ?? ''),
    at: (place) => entries[place],
    floors: () => floorsOf(scan()),
    check: isText ? check : alreadyChecked,
    unchecked: () => entries,
    scan,
    all: () => entries,
  };
}

function alreadyChecked(): void {
  // At once, or its registry did.
}

function floorsOf(entries: readonly Entry[]): readonly number[] {
  const places: number[] = [];
  for (const [place, entry] of entries.entries()) {
    if (typeof entry !== 'string' && entry.floor) places.push(place);
  }
  return places;
}

/** Text is not a list of versions, although it is iterable. */
export const LIST_OF_RELEASES: Expected = {
  is: (list) => typeof list === 'object' && list !== null && Symbol.iterator in list,
  words: 'an iterable of versions or of records with a version',
};

function isUndecoded(
  list: Iterable<Entry> | ReleaseRecords,
): list is ReleaseRecords & Required<Pick<ReleaseRecords, 'versionAt'>> {
  return 'versionAt' in list;
}
