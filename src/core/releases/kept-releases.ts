import { mergeRecords, type Release } from './release.ts';
import type { Entries, Entry } from './release-records.ts';
import type { SortedReleases, Span } from './sorted-releases.ts';
import { readVersion } from '../version/version.ts';

/** More releases than most plans read of one list. */
const MOST_KEPT = 32;
/** From this many new releases on, one query decodes the whole list at once, which takes the time of about ten single entries per page. */
const MOST_SINGLE = 8;

/** The releases of a sorted list. Those that were read last are kept, because the next plan reads them again. */
export interface KeptReleases {
  /** The release whose last entry is at `place`. */
  release(place: number): Release | undefined;
  /** The releases in `span` of `places`, newest first. */
  descending(places: Uint32Array, span: Span): Iterable<Release>;
}

export function keptReleases(entries: Entries, { duplicates }: SortedReleases): KeptReleases {
  const kept = new Map<number, Release>();
  const read = (
    place: number,
    entryAt: (place: number) => Entry | undefined,
  ): Release | undefined => {
    const version = readVersion(entries.versionAt(place));
    if (!('text' in version)) return undefined;
    const others = duplicates.get(place) ?? [];
    return mergeRecords(
      version,
      [place, ...others].flatMap((one) => entryAt(one) ?? []),
    );
  };
  const release = (place: number): Release | undefined => {
    const known = kept.get(place);
    if (known) return known;
    if (kept.size === MOST_KEPT) kept.clear();
    const found = read(place, entries.at);
    if (found) kept.set(place, found);
    return found;
  };
  return {
    release,
    *descending(places, { from, end }) {
      let single = 0;
      let all: readonly Entry[] | undefined;
      for (let at = end - 1; at >= from; at--) {
        const place = places[at] ?? -1;
        if (!kept.has(place) && ++single > MOST_SINGLE) all ??= entries.all();
        const found = all ? read(place, (one) => all?.[one]) : release(place);
        if (found) yield found;
      }
    },
  };
}
