import { mergeRecords, type Release } from './release.ts';
import type { Entries, Entry } from './release-records.ts';
import type { SortedReleases, Span } from './sorted-releases.ts';
import { readVersion } from '../version/version.ts';

/** More releases than most plans read of one list. */
const MOST_KEPT = 32;
/** If a query reads more new releases than this, it decodes the whole list at once, page by page. */
const MOST_SINGLE = 8;

/** The releases of a sorted list. Those that were read last are kept, because the next plan reads them again. */
export class KeptReleases {
  readonly entries: Entries;
  readonly #duplicates: SortedReleases['duplicates'];
  readonly #kept = new Map<number, Release>();

  constructor(entries: Entries, { duplicates }: SortedReleases) {
    this.entries = entries;
    this.#duplicates = duplicates;
  }

  /** The releases in `span` of `places`, newest first. */
  descending(places: Uint32Array, span: Span): Iterable<Release> {
    return new Descending(this, places, span);
  }

  /** The release at a place of `places`, if it is kept. */
  kept(place: number): Release | undefined {
    return this.#kept.get(place);
  }

  /** The release at a place of `places`, from then on kept. */
  release(place: number): Release | undefined {
    const known = this.#kept.get(place);
    if (known) return known;
    const release = this.decode(place, this.entries.at);
    if (this.#kept.size === MOST_KEPT) this.#kept.clear();
    if (release) this.#kept.set(place, release);
    return release;
  }

  decode(place: number, entryAt: Entries['at']): Release | undefined {
    const version = readVersion(this.entries.versionAt(place));
    if (!('text' in version)) return undefined;
    const places = [place, ...(this.#duplicates.get(place) ?? [])];
    return mergeRecords(
      version,
      places.flatMap((one) => entryAt(one) ?? []),
    );
  }
}

/** Every resolution begins to read one. As a generator it takes 60 ns more. */
class Descending implements IterableIterator<Release, undefined> {
  readonly #list: KeptReleases;
  readonly #places: Uint32Array;
  readonly #from: number;
  #at: number;
  #decoded = 0;
  #all: readonly Entry[] | undefined = undefined;

  constructor(list: KeptReleases, places: Uint32Array, { from, end }: Span) {
    this.#list = list;
    this.#places = places;
    this.#from = from;
    this.#at = end;
  }

  next(): IteratorResult<Release, undefined> {
    if (this.#at <= this.#from) return { done: true, value: undefined };
    const place = this.#places[--this.#at] ?? -1;
    const value = this.#list.kept(place) ?? this.#decode(place);
    return value ? { done: false, value } : { done: true, value };
  }

  #decode(place: number): Release | undefined {
    if (++this.#decoded > MOST_SINGLE) this.#all ??= this.#list.entries.all();
    const all = this.#all;
    return all ? this.#list.decode(place, (one) => all[one]) : this.#list.release(place);
  }

  [Symbol.iterator](): this {
    return this;
  }
}
