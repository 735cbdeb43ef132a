import {
  expectArgument,
  expectMembers,
  NUMBER,
  optional,
  TEXT,
  wrongArgument,
  type Expected,
} from '../text/argument.ts';
import { expectSpelling, type Members } from '../text/spelling.ts';
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
  /** All entries, or only their versions if those cost less. */
  readonly scan: () => readonly Entry[];
  readonly all: () => readonly Entry[];
}

/** Copies `list`, unless it decodes its entries when they are read. `callee` is named in the error for a wrong one. */
export function entriesOf(list: Iterable<Entry> | ReleaseRecords, callee: string): Entries {
  expectArgument(callee, 'releases', list, LIST_OF_RELEASES);
  if (isUndecoded(list)) {
    return {
      length: list.length,
      versionAt: (place) => list.versionAt(place),
      at: (place) => list.at(place),
      floors: () => list.floors?.() ?? floorsOf([...list]),
      scan: () => Array.from({ length: list.length }, (_, place) => list.versionAt(place)),
      all: () => [...list],
    };
  }
  const entries = [...list];
  checkFirst(entries, callee);
  return {
    length: entries.length,
    versionAt: (place) => versionOf(entries[place] ?? ''),
    at: (place) => entries[place],
    floors: () => floorsOf(entries),
    scan: () => entries,
    all: () => entries,
  };
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

/** Entries of one list are mostly alike. Checking all of them would take longer than a query. */
function checkFirst([first]: readonly Entry[], callee: string): void {
  if (first === undefined || typeof first === 'string') return;
  if (typeof Object(first).version !== 'string') {
    throw wrongArgument(callee, 'the first release', first, 'text or a record with a version');
  }
  expectMembers(callee, 'the first release', first, RECORD);
  expectSpelling(callee, 'the first release', first, MEMBERS);
}

/** Fields that a wrong type would turn into another meaning: `yanked: false` would be yanked, and a date no time. */
const RECORD = {
  floor: {
    is: (value: unknown) => value === undefined || value === true,
    words: 'true, or nothing if it is not a floor',
  },
  publishedAt: { ...optional(NUMBER), words: 'milliseconds since the epoch, or nothing' },
  yanked: { ...optional(TEXT), words: 'the reason as text, or nothing if it is not yanked' },
};

const MEMBERS: Members<ReleaseRecord> = {
  ...RECORD,
  version: true,
  tag: true,
  artifacts: true,
  unreadable: true,
  prerelease: true,
  distTags: true,
  deprecated: true,
  requires: true,
  hasNotes: true,
  signatures: true,
  yankSignatures: true,
  rollout: true,
};

function isUndecoded(
  list: Iterable<Entry> | ReleaseRecords,
): list is ReleaseRecords & Required<Pick<ReleaseRecords, 'versionAt'>> {
  return 'versionAt' in list;
}
