import { statfsSync } from 'node:fs';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';

/**
 * Why `size` more bytes must not be stored in `folder`: fewer than `freeDisk` would stay free. Undefined if they may. A full disk would
 * also stop publications and yanks. Throws an error of the file system.
 */
export function lackOfSpace(
  folder: string,
  { size, freeDisk }: { readonly size: number; readonly freeDisk: number },
): DatabaseError | undefined {
  const { bavail, bsize } = statfsSync(folder, { bigint: true });
  const free = bavail * bsize;
  if (free - BigInt(size) >= freeDisk) return undefined;
  const found = `${quote(folder)}: the disk has ${free} bytes free, and ${size} are needed`;
  return new DatabaseError('unwritable', `${found}: ${freeDisk} must stay free`);
}
