import { renameSync, rmSync } from 'node:fs';
import { isThere } from './is-there.ts';

/** What follows the path of a damaged file that was set aside. */
const DAMAGED = '.damaged';
/** The file itself is last: until it has its new name, no new one begins beside parts of the old one. */
const PARTS = ['-wal', '-shm', '-journal', ''];

/**
 * Gives a damaged file and what SQLite keeps beside it another name, in the place of one that was set aside earlier, so that a
 * new file can begin. Returns the new path of the file.
 */
export function setAside(path: string): string {
  const aside = `${path}${DAMAGED}`;
  for (const part of PARTS) {
    rmSync(aside + part, { force: true });
    if (isThere(path + part)) renameSync(path + part, aside + part);
  }
  return aside;
}
