import { closeSync, openSync } from 'node:fs';

/**
 * Creates an empty file that only its owner can open, for SQLite, which would create one that others can open until its mode
 * is changed. The files that SQLite creates beside it have the same mode (T94).
 */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process has created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
