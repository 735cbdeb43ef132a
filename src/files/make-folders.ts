import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder, and those above it that are missing. Where a file system takes none, as `/proc` does, Node's recursive
 * `mkdir` never ends (T850). Returns the first that it created; undefined if all existed.
 */
export function makeFolders(path: string, mode?: number): string | undefined {
  const folder = resolve(path);
  if (isFolder(folder)) return undefined;
  const first = makeFolders(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!isFolder(folder)) throw error;
    return first;
  }
  return first ?? folder;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
