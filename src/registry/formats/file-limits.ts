import { quote } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import { jsonMeter } from './json-meter.ts';

/** Fits the largest npm packuments, the largest of all lists. */
const LARGEST_FILE = 64 * 1024 * 1024;

/**
 * The commas and brackets of a list of at least this size are counted before it is parsed, because the parsed JSON
 * could take gigabytes. Full npm packuments have fewer than a million.
 */
const COUNTED_FROM = 8 * 1024 * 1024;
const MOST_TOKENS = 4_000_000;

/** Throws a `list-too-large` RegistryError if the list in the file at `path` has more bytes than are read. */
export function expectListSize(path: string, size: number): void {
  if (size <= LARGEST_FILE) return;
  const message = `${quote(path)} has ${size} bytes (limit ${LARGEST_FILE})`;
  throw new RegistryError('list-too-large', message);
}

/** Throws a `list-too-large` RegistryError if the JSON of a list would take too much memory. */
export function expectParsable(bytes: Uint8Array): void {
  if (bytes.length >= COUNTED_FROM) jsonMeter(MOST_TOKENS).feed(bytes);
}
