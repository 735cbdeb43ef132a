import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Creates a folder, and those above it that are missing. Where a file system takes none, as `/proc` does, Node's recursive `mkdir` never ends (T850). */
export function makeFolders(path: string): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
