import { versionOf } from './release.ts';
import type { Entry } from './release-records.ts';
import { compareChecked } from '../version/version-order.ts';
import { readVersion, type Version } from '../version/version.ts';

/** Places in a release list, from the oldest release to the newest, each version once. */
export interface Ascending {
  readonly places: Uint32Array;
  /** The major and the minor number of each branch X.Y, and the number of places up to its end. */
  readonly branches: Float64Array;
}

/**
 * The order of a release list, in 16 bytes for each release: versions are parsed for sorting, and again when they are
 * read.
 */
export interface SortedReleases {
  readonly all: Ascending;
  /** `all` without prereleases, so that a query does not have to skip them. */
  readonly stable: Ascending;
  /** The patch number of each place in `all`, at most `HIGHEST_PATCH`. */
  readonly patches: Uint32Array;
  /** The other places of a version that has several entries. */
  readonly duplicates: ReadonlyMap<number, readonly number[]>;
}

/** The numbers of places in `ascending` before some releases and up to their end. */
export interface Span {
  readonly from: number;
  readonly end: number;
}

/** Greater patch numbers count as this one. */
const HIGHEST_PATCH = 0xffff_ffff;
const FIELDS = 3;

/** Sorts the entries that are versions, and finds the duplicates of each version (D10, D11). */
export function sortReleases(entries: readonly Entry[]): SortedReleases {
  const versions = entries.map((entry) => versionIn(versionOf(entry)));
  const places = Uint32Array.from(versions.keys()).filter((place) => versions[place]);
  places.sort((a, b) => {
    const [left, right] = [versions[a], versions[b]];
    return left && right ? compareChecked(left, right) : 0;
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
  const all = { places: unique, branches: branchesOf(unique, versions) };
  const stable = unique.filter((place) => versions[place]?.prerelease === '');
  const hasPrereleases = stable.length < unique.length;
  return {
    all,
    stable: hasPrereleases ? { places: stable, branches: branchesOf(stable, versions) } : all,
    patches: unique.map((place) => Math.min(versions[place]?.patch ?? 0, HIGHEST_PATCH)),
    duplicates,
  };
}

function versionIn(text: string): Version | undefined {
  const read = readVersion(text);
  return 'text' in read ? read : undefined;
}

function branchesOf(places: Uint32Array, versions: readonly (Version | undefined)[]): Float64Array {
  const branches: number[] = [];
  for (const [at, place] of places.entries()) {
    const { major = 0, minor = 0 } = versions[place] ?? {};
    if (branches.at(-FIELDS) !== major || branches.at(1 - FIELDS) !== minor) {
      branches.push(major, minor, at);
    }
    branches[branches.length - 1] = at + 1;
  }
  return Float64Array.from(branches);
}

/** The releases of branch X, or of branch X.Y if `minor` is given. */
export function branch(ascending: Ascending, major: number, minor?: number): Span {
  const { branches } = ascending;
  const end = fieldAfter(ascending, major, minor ?? Infinity);
  if (minor === undefined) return spanOf(branches, fieldAfter(ascending, major, -1), end);
  const isPublished = branches[end - FIELDS] === major && branches[end - FIELDS + 1] === minor;
  return spanOf(branches, isPublished ? end - FIELDS : end, end);
}

/** The places of the branches whose fields begin at `from` and precede `end`. */
function spanOf(branches: Float64Array, from: number, end: number): Span {
  return { from: branches[from - 1] ?? 0, end: branches[end - 1] ?? 0 };
}

/** The field after branch X.Y and all lower ones. */
function fieldAfter({ branches }: Ascending, major: number, minor: number): number {
  let low = 0;
  let high = branches.length / FIELDS;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const x = branches[middle * FIELDS] ?? 0;
    const isWithin = x === major ? (branches[middle * FIELDS + 1] ?? 0) <= minor : x < major;
    if (isWithin) low = middle + 1;
    else high = middle;
  }
  return low * FIELDS;
}

/** The releases in `all` whose numbers are those of `version`. */
export function sameNumbers({ all, patches }: SortedReleases, version: Version): Span {
  const { from, end } = branch(all, version.major, version.minor);
  const patch = Math.min(version.patch, HIGHEST_PATCH);
  const first = countUntil({ from, end }, (at) => (patches[at] ?? 0) >= patch);
  return { from: first, end: countUntil({ from: first, end }, (at) => (patches[at] ?? 0) > patch) };
}

/** The number of places before the first one in the span for which `isBeyond` is true. */
export function countUntil({ from, end }: Span, isBeyond: (at: number) => boolean): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBeyond(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
