import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { TooLargeChange } from '../server/catalogue/write-change.ts';
import { MACHINE_SCHEMA } from './machine-event.ts';

/** Shorter events stay as they are. */
const PACKED_FROM = 4096;
/** A node refuses a message above 1 MB. */
const LARGEST_EVENT = 1_000_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** The text of an event, compressed if it is long (D397): a fragment may have the documents of many machines. Throws a TooLargeChange. */
export function packed(text: string): string {
  if (text.length < PACKED_FROM) return text;
  const bytes = Buffer.from(text);
  const zstd = zstdCompressSync(bytes).toString('base64');
  const body = JSON.stringify({ schema: MACHINE_SCHEMA, zstd });
  if (bytes.length <= MOST_BYTES && body.length <= LARGEST_EVENT) return body;
  throw new TooLargeChange(
    `it has ${bytes.length} bytes, ${body.length} when compressed, and an event of the cluster at most ${LARGEST_EVENT}`,
  );
}

/** The JSON of an event that `packed` wrote; undefined if it cannot be read. */
export function unpacked(json: unknown): unknown {
  const { schema, zstd } = Object(json);
  // A later modreg may have written it in another way.
  if (typeof zstd !== 'string' || schema !== MACHINE_SCHEMA) return json;
  try {
    const bytes = zstdDecompressSync(Buffer.from(zstd, 'base64'), { maxOutputLength: MOST_BYTES });
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
