import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { quote } from '../../core/text/quote.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { IN_MEMORY, translated } from '../../sqlite/database.ts';
import { inPlaceCheck } from '../../sqlite/in-place.ts';

/** Identifies the file of an open catalogue, because its path may point to another file later. */
export interface FileIdentity {
  /**
   * The history of a file that contains the id `stored`. A copy of the file has the same id and another history, such as a
   * copy that replaces the file behind the server's back: its sequence numbers may stand for other changes (D40, D43).
   */
  readonly historyOf: (stored: string) => string;
  /** Throws if another file, or none, is at the path, or if the file was truncated: a change would then be lost. */
  readonly check: () => void;
}

/** The identity of the file that is at `path` now. A database in memory is always in place. */
export function identityOf(path: string): FileIdentity {
  if (path === IN_MEMORY) return { historyOf: shortHash, check: () => undefined };
  const inPlace = inPlaceCheck(path);
  const { ino, birthtimeNs, size } = translated(path, () => statSync(path, { bigint: true }));
  let largest = size;
  return {
    historyOf: (stored) => shortHash(`${stored} ${ino} ${birthtimeNs}`),
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
