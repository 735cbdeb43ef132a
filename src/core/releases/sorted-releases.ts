import { mergeRecords, versionOf, type Release, type ReleaseRecord } from './release.ts';
import { compareVersions } from '../version/version-order.ts';
import { readVersion, type Version } from '../version/version.ts';

/** Releases from the oldest to the newest, each version once. Undefined if `at` is out of range. */
export interface Ascending {
  readonly length: number;
  version(at: number): Version | undefined;
  release(at: number): Release | undefined;
}

export interface SortedReleases {
  readonly all: Ascending;
  /** `all` without prereleases, so that a query does not have to skip them. */
  readonly stable: Ascending;
}

/** Sorts the entries of `records` that are versions, and merges the entries of one version (D10, D11). */
export function sortReleases(records: readonly (ReleaseRecord | string)[]): SortedReleases {
  const versions = records.map((entry) => versionIn(versionOf(entry)));
  // An index into `records` takes 4 bytes, a release 64, so releases are created when they are read.
  const places = Uint32Array.from(versions.keys()).filter((place) => versions[place]);
  places.sort((a, b) => {
    const [left, right] = [versions[a], versions[b]];
    return left && right ? compareVersions(left, right) : 0;
  });
  const duplicates = new Map<number, number[]>();
  const unique = places.filter((place, at) => {
    const next = places[at + 1];
    if (next === undefined || versions[next]?.text !== versions[place]?.text) return true;
    const group = duplicates.get(place) ?? [];
    duplicates.delete(place);
    group.push(place);
    duplicates.set(next, group);
    return false;
  });

  const ascending = (order: Uint32Array): Ascending => ({
    length: order.length,
    version: (at) => versions[order[at] ?? -1],
    release(at) {
      const place = order[at] ?? -1;
      const [version, record] = [versions[place], records[place]];
      if (!version || record === undefined) return undefined;
      const others = (duplicates.get(place) ?? []).flatMap((duplicate) => records[duplicate] ?? []);
      return mergeRecords(version, [record, ...others]);
    },
  });
  const stable = unique.filter((place) => versions[place]?.prerelease === '');
  return { all: ascending(unique), stable: ascending(stable) };
}

function versionIn(text: string): Version | undefined {
  const read = readVersion(text);
  return 'text' in read ? read : undefined;
}
