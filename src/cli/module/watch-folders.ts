import { readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/** Watches of all folders of a tree. */
interface FolderWatches {
  /** False if a folder could not be watched: what changes in it calls nothing. */
  readonly isComplete: boolean;
  readonly close: () => void;
}

/**
 * Calls `onChange` after each change of a file in the tree, until `close`. It watches the folders, and no file: the watch of a file
 * follows it under its new name, and misses what is written to the file that replaced it. Folders that are made later are not watched.
 */
export function watchFolders(top: string, onChange: () => void): FolderWatches {
  const watches: FSWatcher[] = [];
  let isComplete = true;
  for (const folder of [top, ...foldersIn(top)]) {
    try {
      // What ends a watch is a change too.
      watches.push(watch(folder, onChange).on('error', onChange));
    } catch {
      // It was removed, may not be read, or the system has no watch left: the caller looks for itself.
      isComplete = false;
    }
  }
  return { isComplete, close: () => watches.forEach((one) => one.close()) };
}

function foldersIn(top: string): string[] {
  try {
    return readdirSync(top, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    // As above: its watch fails, or the publication says why it cannot be read.
    return [];
  }
}
