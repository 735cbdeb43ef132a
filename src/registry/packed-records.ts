import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { ReleaseRecord, ReleaseRecords } from '../core/index.ts';
import { dropInto, type DecodedList, type ListEntries } from './formats/decoded-list.ts';

/** One entry is read in 80 µs, and takes 5 % more memory than in a page of 128 entries. */
const PAGE = 32;
const STEP = 32 * PAGE;
/** 3 µs per release. Deflate takes 15 % more memory in the same time, and zstd is experimental in Node 24. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

/**
 * Packs `records` into the least memory, for lists that stay there: compressed pages of JSON, and all versions as one
 * text. A list of less than a page stays an array. A release with two artifacts takes 110 bytes, of which its digests
 * need 64, where its JSON has 464 and its objects take 900. Yields, so that a large list does not block the event loop.
 */
export function* packInSteps(
  records: Iterable<ReleaseRecord>,
): Generator<undefined, ReleaseRecords> {
  const pages: Uint8Array[] = [];
  const versions: string[] = [];
  const floors: number[] = [];
  let page: ReleaseRecord[] = [];
  for (const record of records) {
    if (record.floor) floors.push(versions.length);
    versions.push(record.version);
    page.push(record);
    if (page.length < PAGE) continue;
    pages.push(compressed(page));
    page = [];
    if (versions.length % STEP === 0) yield;
  }
  // Most lists are short, and compressing one would take longer than decoding it.
  if (pages.length === 0) return page;
  if (page.length > 0) pages.push(compressed(page));
  return packed(versions, pages, floors);
}

/** Decodes a list and packs it, in steps between which the event loop can run. */
export function* packedListInSteps(entries: ListEntries): Generator<undefined, DecodedList> {
  const dropped: string[] = [];
  const records = yield* packInSteps(decodedEntries(entries, dropped));
  return { records, dropped, generation: entries.generation };
}

/** Every record. What cannot be read is added to `dropped`. */
function* decodedEntries(entries: ListEntries, dropped: string[]): Iterable<ReleaseRecord> {
  const drop = dropInto(dropped);
  entries.check?.(drop);
  for (let index = 0; index < entries.length; index++) yield entries.decode(index, drop);
}

/** Packs `records` in one step, unless they are packed. */
export function pack(records: ReleaseRecords): ReleaseRecords {
  const isShort = Array.isArray(records) && records.length < PAGE;
  if (isShort || PAGES.has(records)) return records;
  const steps = packInSteps(records);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The text of the JSON of `records`. Packed ones are not decoded. */
export function jsonOf(records: ReleaseRecords): string {
  const pages = PAGES.get(records);
  if (!pages) return JSON.stringify([...records]);
  return `[${pages()
    .map((page) => decompressed(page).slice(1, -1))
    .join()}]`;
}

/** The entries of `records`, without those in pages that `others` has as well: a list mostly grows at its end. */
export function* recordsNotIn(
  others: ReleaseRecords,
  records: ReleaseRecords,
): Iterable<ReleaseRecord> {
  const [pages, otherPages] = [PAGES.get(records), PAGES.get(others)];
  if (!pages || !otherPages) return yield* records;
  const known = new Set(otherPages().map(keyOf));
  for (const page of pages()) if (!known.has(keyOf(page))) yield* recordsIn(page);
}

function keyOf(page: Uint8Array): string {
  return Buffer.from(page.buffer, page.byteOffset, page.byteLength).toString('latin1');
}

/** The pages of a packed list. */
const PAGES = new WeakMap<ReleaseRecords, () => Uint8Array[]>();

function packed(
  versions: readonly string[],
  pages: readonly Uint8Array[],
  floors: readonly number[],
): ReleaseRecords {
  const { length } = versions;
  const text = versions.join('');
  const ends = endsOf(versions);
  // A buffer of its own for each page would take 200 bytes more.
  const bytes = new Uint8Array(Buffer.concat(pages));
  const pageEnds = endsOf(pages);
  const pageAt = (page: number): Uint8Array =>
    bytes.subarray(pageEnds[page - 1] ?? 0, pageEnds[page]);
  const records: ReleaseRecords = {
    length,
    versionAt: (index) => text.slice(ends[index - 1] ?? 0, ends[index]),
    floors: () => floors,
    at(index) {
      const place = index < 0 ? length + index : index;
      if (!(place >= 0 && place < length)) return undefined;
      return recordsIn(pageAt(Math.trunc(place / PAGE)))[place % PAGE];
    },
    *[Symbol.iterator]() {
      for (const page of pageEnds.keys()) yield* recordsIn(pageAt(page));
    },
  };
  PAGES.set(records, () => Array.from(pageEnds.keys(), pageAt));
  return records;
}

function endsOf(parts: readonly { readonly length: number }[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(parts, ({ length }) => (end += length));
}

function compressed(page: readonly ReleaseRecord[]): Uint8Array {
  return brotliCompressSync(JSON.stringify(page), FAST);
}

function decompressed(page: Uint8Array): string {
  return brotliDecompressSync(page).toString();
}

/** The records of a page that `compressed` wrote. */
function recordsIn(page: Uint8Array): ReleaseRecord[] {
  return JSON.parse(decompressed(page)) as ReleaseRecord[];
}
