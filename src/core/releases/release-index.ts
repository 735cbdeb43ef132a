import { mismatch, type Constraint } from '../version/constraint.ts';
import { newestAccepted } from './newest-accepted.ts';
import { mergeRecords, type Release, type ReleaseRecord } from './release.ts';
import { sortReleases, type Ascending, type SortedReleases } from './sorted-releases.ts';
import { comparePrecedence, compareVersions } from '../version/version-order.ts';
import { parseVersion, type Version } from '../version/version.ts';
import type { ParseError } from '../text/parse-error.ts';

/** A release list that is queried many times. It is parsed and sorted when it is first queried. */
export interface ReleaseIndex {
  /** How many entries the list has, duplicates and those that are no version included. */
  readonly published: number;
  /** Each version once, newest first. */
  releases(): Iterable<Release>;
  /** The entries that are no version, in the order of the list. */
  unreadable(): readonly ParseError<'bad-version'>[];
  /** The releases that `constraint` accepts, newest first. Nothing else is considered: not yanks, ages or platforms. */
  candidates(constraint: Constraint): Iterable<Release>;
  /** The release of this version, build metadata included; undefined where it is not published. */
  find(version: Version): Release | undefined;
}

/**
 * Indexes a release list, in any order. Nothing is dropped: entries with the same version are merged, and an entry that
 * is no version is kept, to be refused with its reason. The records are read when the index is queried, and must not
 * change.
 *
 * @example
 * ```ts
 * import { indexReleases } from 'modreg';
 *
 * const index = indexReleases([{ version: '1.9.0' }, { version: '1.10.0', yanked: 'stops the motor' }]);
 * console.log([...index.releases()].map(({ version }) => version.text)); // [ '1.10.0', '1.9.0' ]
 * ```
 */
export function indexReleases(releases: Iterable<ReleaseRecord>): ReleaseIndex {
  // What is no version is kept (D10), and duplicates are merged when they are read (D11).
  const records = [...releases];
  let sortedReleases: SortedReleases | undefined;
  let errors: ParseError<'bad-version'>[] | undefined;
  let isFirst = true;
  const sorted = (): SortedReleases => (sortedReleases ??= sortReleases(records));

  return {
    published: records.length,
    releases: () => newestFirst(sorted().all),
    unreadable: () => (errors ??= records.flatMap(({ version }) => errorsIn(version))),
    candidates(constraint) {
      // One pass finds the newest, which is mostly the answer; a list asked again is worth sorting.
      if (!isFirst || sortedReleases) return sortedCandidates(sorted(), constraint);
      isFirst = false;
      const newest = newestAccepted(records, constraint);
      return newest ? andThen(newest, () => sortedCandidates(sorted(), constraint)) : [];
    },
    find(version) {
      if (!sortedReleases) {
        const duplicates = records.filter((record) => record.version === version.text);
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

/** `first`, and then whatever else is in `candidates`, which are made when they are asked for. */
function* andThen(first: Release, candidates: () => Iterable<Release>): Iterable<Release> {
  yield first;
  for (const release of candidates()) {
    if (release.version.text !== first.version.text) yield release;
  }
}

/** The accepted releases stand side by side below the upper end of the branch. */
function* sortedCandidates(
  { all, stable }: SortedReleases,
  constraint: Constraint,
): Iterable<Release> {
  const { kind } = constraint;
  const releases = kind === 'patch' || kind === 'latest-with-prerelease' ? all : stable;
  // Nothing lies above all versions, so nothing is searched for.
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

/** Whether `version` lies above the whole branch of `constraint`. */
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

/** How many of `releases` come before the first for which `isBeyond` holds. */
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
