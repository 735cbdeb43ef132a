import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from './database-error.ts';

/** Creates one folder, not its parents: on some file systems, a recursive mkdir in Node never ends. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Creates the folder of the file at `path`. If there is a file in its place, or its parent does not exist, the error names that. */
export function makeFolderOf(path: string): void {
  const folder = dirname(resolve(path));
  try {
    makeFolder(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (existsSync(parent)) throw error;
    const missing = `its folder ${quote(folder)} cannot be created in ${quote(parent)}, which does not exist`;
    throw new DatabaseError('unwritable', `${quote(path)}: ${missing}: create that first`, {
      cause: error,
    });
  }
  if (!statSync(folder).isDirectory()) {
    throw new DatabaseError('unwritable', `${quote(path)}: ${quote(folder)} is no folder`);
  }
}
