import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** The CRC-32 of the values of a row, and of their types. A single flipped bit always changes it (T90). */
export function rowChecksum(values: readonly unknown[]): number {
  let checksum = 0;
  for (const value of values) {
    const text = String(value);
    checksum = crc32(text, crc32(`${typeof value} ${text.length} `, checksum));
  }
  return checksum;
}

/** Gives SQL on this connection the function `row_checksum(value, …)`. Integers are passed as bigints. */
export function addChecksumFunction(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true } as const;
  database.function('row_checksum', options, (...values) => rowChecksum(values));
}
