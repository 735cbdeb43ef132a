import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';

/** The inode of the file at `path`; undefined if there is none. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/**
 * Identifies the history of the file at `path`. A copy has another one, such as a backup that replaces the file: its
 * sequence numbers may stand for other changes (D40). An id in the file would be the same in every copy.
 */
export function historyOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return createHash('sha256').update(`${ino} ${birthtimeNs}`).digest('hex').slice(0, 16);
}
