import type { Constraint } from '../version/constraint.ts';
import { KeptReleases } from './kept-releases.ts';
import { newestAccepted, type Found } from './newest-accepted.ts';
import { mergeRecords, versionOf, type Release, type ReleaseRecord } from './release.ts';
import { entriesOf, type Entries, type ReleaseRecords } from './release-records.ts';
import {
  branch,
  countUntil,
  sameNumbers,
  sortReleases,
  type SortedReleases,
  type Span,
} from './sorted-releases.ts';
import { compareChecked } from '../version/version-order.ts';
import { parseVersion, readVersion, type Version } from '../version/version.ts';
import type { ParseError } from '../text/parse-error.ts';

/** A release list that is queried many times. It is parsed and sorted when it is first queried. */
export interface ReleaseIndex {
  /** The number of entries in the list, including duplicates and entries that are not versions. */
  readonly published: number;
  /** Each version once, newest first. */
  releases(): Iterable<Release>;
  /** Why each entry that is not a version could not be parsed, in the order of the list. */
  unreadable(): readonly ParseError<'bad-version'>[];
  /** The releases that `constraint` accepts, newest first. Yanks, ages and platforms are not considered. */
  candidates(constraint: Constraint): Iterable<Release>;
  /** The floors, the lowest first, yanked ones included. */
  floors(): readonly Release[];
  /** The release of exactly this version, including build metadata; undefined if it is not published. */
  find(version: Version): Release | undefined;
}

/**
 * Indexes a release list in any order: records, or just versions. Entries with the same version are merged. An entry that
 * is not a version is kept, so that it can be refused with its reason. The records are read when the index is queried,
 * and must not change. A list that decodes its entries when they are read is not copied, and only entries that a query
 * needs are decoded.
 *
 * @example
 * ```ts
 * import { indexReleases } from 'modreg';
 *
 * const index = indexReleases([{ version: '1.9.0' }, { version: '1.10.0', yanked: 'stops the motor' }]);
 * console.log([...index.releases()].map(({ version }) => version.text)); // [ '1.10.0', '1.9.0' ]
 * ```
 */
export function indexReleases(
  releases: Iterable<ReleaseRecord | string> | ReleaseRecords,
): ReleaseIndex {
  return indexFor('indexReleases()', releases);
}

/** The same for `callee`, which an error names. */
export function indexFor(
  callee: string,
  releases: Iterable<ReleaseRecord | string> | ReleaseRecords,
): ReleaseIndex {
  // Entries that are not versions are kept (D10), and duplicates are merged when they are read (D11).
  const entries = entriesOf(releases, callee);
  let sortedList: SortedList | undefined;
  let errors: ParseError<'bad-version'>[] | undefined;
  let floors: readonly Release[] | undefined;
  let isFirst = true;
  const sorted = (): SortedList => (sortedList ??= sortList(entries));

  return {
    published: entries.length,
    releases() {
      const { all, kept } = sorted();
      return kept.descending(all.places, { from: 0, end: all.places.length });
    },
    unreadable: () => (errors ??= entries.scan().flatMap((entry) => errorsIn(versionOf(entry)))),
    candidates(constraint) {
      // One pass finds the newest release, which is usually the answer. From the second query on, sorting pays off.
      if (!isFirst || sortedList) return sortedCandidates(sorted(), constraint);
      isFirst = false;
      const newest = newestAccepted(entries, constraint);
      return newest
        ? andThen(releaseOf(newest, entries), () => sortedCandidates(sorted(), constraint))
        : [];
    },
    floors: () => (floors ??= floorsIn(entries, sorted)),
    find: (version) =>
      sortedList ? findSorted(sortedList, version) : findUnsorted(entries, version),
  };
}

/** The list is sorted only if it has floors: most have none. */
function floorsIn(entries: Entries, sorted: () => SortedList): readonly Release[] {
  const texts = new Set(entries.floors().map((place) => entries.versionAt(place)));
  if (texts.size === 0) return [];
  const { all, kept } = sorted();
  const places = [...all.places].filter((place) => texts.has(entries.versionAt(place)));
  return places.flatMap((place) => kept.decode(place, entries.at) ?? []);
}

/** A list in order. */
interface SortedList extends SortedReleases {
  readonly kept: KeptReleases;
  /** The version of a release in `all`, as published. */
  readonly textAt: (at: number) => string;
}

function sortList(entries: Entries): SortedList {
  const sorted = sortReleases(entries.scan());
  const { places } = sorted.all;
  return {
    ...sorted,
    kept: new KeptReleases(entries, sorted),
    textAt: (at) => entries.versionAt(places[at] ?? -1),
  };
}

function errorsIn(text: string): ParseError<'bad-version'>[] {
  const version = parseVersion(text);
  return version.ok ? [] : [version.error];
}

/** `first`, and then the other `candidates`, which are computed only when they are read. */
function* andThen(first: Release, candidates: () => Iterable<Release>): Iterable<Release> {
  yield first;
  for (const release of candidates()) {
    if (release.version.text !== first.version.text) yield release;
  }
}

/** In sorted order, the accepted releases are adjacent. */
function sortedCandidates(list: SortedList, constraint: Constraint): Iterable<Release> {
  const { all, stable, kept } = list;
  switch (constraint.kind) {
    case 'patch':
      return kept.descending(all.places, equalTo(list, constraint.version));
    case 'minor':
      return kept.descending(stable.places, branch(stable, constraint.major, constraint.minor));
    case 'major':
      return kept.descending(stable.places, branch(stable, constraint.major));
    case 'latest':
      return kept.descending(stable.places, { from: 0, end: stable.places.length });
    case 'latest-with-prerelease':
      return kept.descending(all.places, { from: 0, end: all.places.length });
  }
}

function findSorted(list: SortedList, version: Version): Release | undefined {
  const { from, end } = equalTo(list, version);
  return from === end ? undefined : list.kept.release(list.all.places[from] ?? -1);
}

/** The place in `all` of the release with exactly this version. */
function equalTo(list: SortedList, version: Version): Span {
  const compared = (at: number): number => {
    const text = list.textAt(at);
    if (text === version.text) return 0;
    const other = readVersion(text);
    return 'text' in other ? compareChecked(other, version) : 0;
  };
  const span = sameNumbers(list, version);
  const from = countUntil(span, (at) => compared(at) >= 0);
  return { from, end: countUntil({ from, end: span.end }, (at) => compared(at) > 0) };
}

function findUnsorted(entries: Entries, version: Version): Release | undefined {
  const places = entries.scan().flatMap((entry, place) => {
    return versionOf(entry) === version.text ? [place] : [];
  });
  return places.length === 0 ? undefined : releaseOf({ version, places }, entries);
}

function releaseOf({ version, places }: Found, entries: Entries): Release {
  return mergeRecords(
    version,
    places.flatMap((place) => entries.at(place) ?? []),
  );
}
