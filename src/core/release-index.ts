import { mismatch, type Constraint } from './constraint.ts';
import { mergeReleases, releaseOf, type Release, type ReleaseRecord } from './release.ts';
import { comparePrecedence, compareVersions } from './version-order.ts';
import { isPrerelease, parseVersion, type Version, type VersionError } from './version.ts';

/** A release list, to be asked many times. It is read and sorted when it is first asked. */
export interface ReleaseIndex {
  /** How many entries were published, duplicates and unreadable ones included. */
  readonly published: number;
  /** Every version once, newest first. */
  releases(): Iterable<Release>;
  /** The entries that are not a version, in the order of the list. (D10) */
  unreadable(): readonly VersionError[];
  /** The releases that `constraint` by itself accepts, newest first. */
  candidates(constraint: Constraint): Iterable<Release>;
  /** Whether exactly this version, build metadata included, is published. */
  has(version: Version): boolean;
}

/** The entries of a list, each read once. */
interface ReadList {
  readonly readable: readonly Release[];
  readonly unreadable: readonly VersionError[];
}

interface SortedList {
  /** Oldest first, each version once. */
  readonly all: readonly Release[];
  /** `all` without prereleases, so that no answer has to pass over them. */
  readonly stable: readonly Release[];
}

/**
 * Takes a list as published, in any order. Nothing is dropped: duplicates are merged, and an entry
 * that is not a version is kept, to be refused with its reason. The records are read when the index
 * is first asked, and must not change. (D10, D11)
 */
export function indexReleases(releases: Iterable<ReleaseRecord>): ReleaseIndex {
  const records = [...releases];
  let list: ReadList | undefined;
  let sortedList: SortedList | undefined;
  let isFirst = true;
  const read = (): ReadList => (list ??= readRecords(records));
  const sorted = (): SortedList => (sortedList ??= sortReleases(read().readable));

  return {
    published: records.length,
    releases: () => newestFirst(sorted().all),
    unreadable: () => read().unreadable,
    *candidates(constraint) {
      // One pass finds the newest, which is mostly the answer; a list asked again is worth sorting.
      if (!isFirst) return yield* sortedCandidates(sorted(), constraint);
      isFirst = false;
      const newest = newestAccepted(read().readable, constraint);
      if (!newest) return;
      yield newest;
      for (const release of sortedCandidates(sorted(), constraint)) {
        if (release.version.text !== newest.version.text) yield release;
      }
    },
    has(version) {
      const isIt = (release?: Release): boolean => release?.version.text === version.text;
      if (!sortedList) return read().readable.some(isIt);
      const { all } = sortedList;
      return isIt(all[countUntil(all, (other) => compareVersions(other, version) >= 0)]);
    },
  };
}

function readRecords(records: readonly ReleaseRecord[]): ReadList {
  const readable: Release[] = [];
  const unreadable: VersionError[] = [];
  for (const record of records) {
    const version = parseVersion(record.version);
    if (version.ok) readable.push(releaseOf(version.value, record));
    else unreadable.push(version.error);
  }
  return { readable, unreadable };
}

function sortReleases(readable: readonly Release[]): SortedList {
  const all = withoutTwins(readable.toSorted((a, b) => compareVersions(a.version, b.version)));
  return { all, stable: all.filter(({ version }) => !isPrerelease(version)) };
}

/** `sorted` with the entries of one version, which stand side by side, merged into one. (D11) */
function withoutTwins(sorted: readonly Release[]): readonly Release[] {
  const merged: Release[] = [];
  let start = 0;
  for (const [at, release] of sorted.entries()) {
    if (sorted[at + 1]?.version.text === release.version.text) continue;
    const isAlone = at === start;
    merged.push(isAlone ? release : mergeReleases([release, ...sorted.slice(start, at)]));
    start = at + 1;
  }
  return merged;
}

/** The newest of `releases`, which are in any order, that `constraint` by itself accepts. */
function newestAccepted(releases: readonly Release[], constraint: Constraint): Release | undefined {
  let twins: [Release, ...Release[]] | undefined;
  for (const release of releases) {
    if (mismatch(constraint, release.version)) continue;
    const order = twins ? compareVersions(release.version, twins[0].version) : 1;
    if (order > 0) twins = [release];
    else if (order === 0) twins?.push(release);
  }
  return twins && mergeReleases(twins);
}

function* newestFirst(releases: readonly Release[], count = releases.length): Iterable<Release> {
  for (let at = count - 1; at >= 0; at--) {
    const release = releases[at];
    if (release) yield release;
  }
}

/** The accepted releases stand side by side below the upper end of the branch. */
function* sortedCandidates({ all, stable }: SortedList, constraint: Constraint): Iterable<Release> {
  const { kind } = constraint;
  const releases = kind === 'patch' || kind === 'latest-with-prerelease' ? all : stable;
  const count = countUntil(releases, (version) => isAbove(constraint, version));
  for (const release of newestFirst(releases, count)) {
    if (mismatch(constraint, release.version)) return;
    yield release;
  }
}

/** Whether `version` lies above the whole branch of `constraint`. */
function isAbove(constraint: Constraint, version: Version): boolean {
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
    case 'latest':
    case 'latest-with-prerelease':
      return false;
  }
}

/** How many of the sorted `releases` come before the first for which `isBeyond` holds. */
function countUntil(releases: readonly Release[], isBeyond: (version: Version) => boolean): number {
  let low = 0;
  let high = releases.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const release = releases[middle];
    if (release && isBeyond(release.version)) high = middle;
    else low = middle + 1;
  }
  return low;
}
