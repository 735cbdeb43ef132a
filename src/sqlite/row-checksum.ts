import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/**
 * Gives SQL on this connection the function `row_checksum(value, …)`: the CRC-32 of values and their types, which a single
 * flipped bit always changes (T90).
 */
export function addChecksumFunction(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true } as const;
  database.function('row_checksum', options, (...values) => {
    let checksum = 0;
    for (const value of values) {
      const text = String(value);
      checksum = crc32(text, crc32(`${typeof value} ${text.length} `, checksum));
    }
    return checksum;
  });
}
