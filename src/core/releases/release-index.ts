import { mismatch, type Constraint } from '../version/constraint.ts';
import { newestAccepted } from './newest-accepted.ts';
import { mergeRecords, versionOf, type Release, type ReleaseRecord } from './release.ts';
import { sortReleases, type Ascending, type SortedReleases } from './sorted-releases.ts';
import { comparePrecedence, compareVersions } from '../version/version-order.ts';
import { parseVersion, type Version } from '../version/version.ts';
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
  /** The release of exactly this version, including build metadata; undefined if it is not published. */
  find(version: Version): Release | undefined;
}

/**
 * Indexes a release list in any order: records, or just versions. Entries with the same version are merged. An entry that
 * is not a version is kept, so that it can be refused with its reason. The records are read when the index is queried,
 * and must not change.
 *
 * @example
 * ```ts
 * import { indexReleases } from 'modreg';
 *
 * const index = indexReleases([{ version: '1.9.0' }, { version: '1.10.0', yanked: 'stops the motor' }]);
 * console.log([...index.releases()].map(({ version }) => version.text)); // [ '1.10.0', '1.9.0' ]
 * ```
 */
export function indexReleases(releases: Iterable<ReleaseRecord | string>): ReleaseIndex {
  // Entries that are not versions are kept (D10), and duplicates are merged when they are read (D11).
  const records = [...releases];
  let sortedReleases: SortedReleases | undefined;
  let errors: ParseError<'bad-version'>[] | undefined;
  let isFirst = true;
  const sorted = (): SortedReleases => (sortedReleases ??= sortReleases(records));

  return {
    published: records.length,
    releases: () => newestFirst(sorted().all),
    unreadable: () => (errors ??= records.flatMap((entry) => errorsIn(versionOf(entry)))),
    candidates(constraint) {
      // One pass finds the newest release, which is usually the answer. From the second query on, sorting pays off.
      if (!isFirst || sortedReleases) return sortedCandidates(sorted(), constraint);
      isFirst = false;
      const newest = newestAccepted(records, constraint);
      return newest ? andThen(newest, () => sortedCandidates(sorted(), constraint)) : [];
    },
    find(version) {
      if (!sortedReleases) {
        const duplicates = records.filter((entry) => versionOf(entry) === version.text);
        return duplicates.length === 0 ? undefined : mergeRecords(version, duplicates);
      }
      const { all } = sortedReleases;
      const at = countUntil(all, (other) => compareVersions(other, version) >= 0);
      return all.version(at)?.text === version.text ? all.release(at) : undefined;
    },
  };
}

function errorsIn(text: string): ParseError<'bad-version'>[] {
  const version = parseVersion(text);
  return version.ok ? [] : [version.error];
}

function* newestFirst(releases: Ascending): Iterable<Release> {
  for (let at = releases.length - 1; at >= 0; at--) {
    const release = releases.release(at);
    if (release) yield release;
  }
}

/** `first`, and then the other `candidates`, which are computed only when they are read. */
function* andThen(first: Release, candidates: () => Iterable<Release>): Iterable<Release> {
  yield first;
  for (const release of candidates()) {
    if (release.version.text !== first.version.text) yield release;
  }
}

/** In sorted order, the accepted releases are adjacent and end at the upper end of the branch. */
function* sortedCandidates(
  { all, stable }: SortedReleases,
  constraint: Constraint,
): Iterable<Release> {
  const { kind } = constraint;
  const releases = kind === 'patch' || kind === 'latest-with-prerelease' ? all : stable;
  // A branch of all versions has no upper end to search for.
  const isOpen = constraint.kind === 'latest' || constraint.kind === 'latest-with-prerelease';
  const count = isOpen
    ? releases.length
    : countUntil(releases, (version) => isAbove(constraint, version));
  for (let at = count - 1; at >= 0; at--) {
    const release = releases.release(at);
    if (!release || mismatch(constraint, release.version)) return;
    yield release;
  }
}

/** Whether `version` is higher than every version in the branch of `constraint`. */
function isAbove(
  constraint: Constraint & { readonly kind: 'patch' | 'minor' | 'major' },
  version: Version,
): boolean {
  switch (constraint.kind) {
    case 'patch': {
      const { version: pin } = constraint;
      const order = pin.build === '' ? comparePrecedence : compareVersions;
      return order(version, pin) > 0;
    }
    case 'minor': {
      const { major, minor } = constraint;
      return version.major > major || (version.major === major && version.minor > minor);
    }
    case 'major':
      return version.major > constraint.major;
  }
}

/** The number of `releases` before the first one for which `isBeyond` is true. */
function countUntil(releases: Ascending, isBeyond: (version: Version) => boolean): number {
  let low = 0;
  let high = releases.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const version = releases.version(middle);
    if (version && isBeyond(version)) high = middle;
    else low = middle + 1;
  }
  return low;
}
