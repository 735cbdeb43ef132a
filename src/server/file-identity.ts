import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { IN_MEMORY } from '../sqlite/database.ts';
import { inPlaceCheck } from '../sqlite/in-place.ts';

/** Identifies the file of an open catalogue, because its path may point to another file later. */
export interface FileIdentity {
  /**
   * Identifies the history of the file. A copy has another one, such as a backup that replaces the file: its sequence
   * numbers may stand for other changes (D40). An id in the file would be the same in every copy.
   */
  readonly history: string;
  /** Throws if another file, or none, is at the path, or if the file was truncated: a change would then be lost. */
  readonly check: () => void;
}

/** The identity of the file that is at `path` now. A database in memory is always in place. */
export function identityOf(path: string): FileIdentity {
  if (path === IN_MEMORY) return { history: shortHash(randomUUID()), check: () => undefined };
  const inPlace = inPlaceCheck(path);
  const { ino, birthtimeNs, size } = statSync(path, { bigint: true });
  let largest = size;
  return {
    history: shortHash(`${ino} ${birthtimeNs}`),
    check: () => {
      const { size: now = largest } = inPlace() ?? {};
      // A catalogue never shrinks: nothing in it is deleted, and modreg runs no VACUUM.
      if (now < largest) {
        const lost = `${quote(path)}: the file was truncated, from ${largest} to ${now} bytes`;
        throw new DatabaseError('damaged', lost);
      }
      largest = now;
    },
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
