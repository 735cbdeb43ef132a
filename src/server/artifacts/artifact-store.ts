import { lstatSync, readdirSync, realpathSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import { syncFolder } from '../../files/sync.ts';
import { IN_MEMORY } from '../../sqlite/database.ts';
import { makeFolder } from '../../sqlite/make-folder.ts';
import { DatabaseError, diskErrorCode } from '../../sqlite/database-error.ts';

/**
 * The folder beside the database at `path` with the files that its releases list. `sha256/<hex>` is a file that a
 * release lists, and is never removed. `incoming` has files that no release lists yet. It moves with the database.
 */
export function artifactFolder(path: string): string {
  // Like the write-ahead log, beside the file that a link leads to.
  return `${realpathSync(path)}-files`;
}

/** The path of the file that releases list with this sha256. */
export function artifactPath(path: string, sha256: string): string {
  return `${artifactFolder(path)}/sha256/${sha256}`;
}

/** The folder of files that no release lists yet. Creates it and its parents if they do not exist. */
export function incomingFolder(path: string): string {
  if (path === IN_MEMORY) {
    throw new DatabaseError('unwritable', 'a registry in memory stores no files');
  }
  return onDisk(path, () => {
    const folder = artifactFolder(path);
    for (const one of [folder, `${folder}/sha256`, `${folder}/incoming`]) {
      makeFolder(one);
      syncFolder(dirname(one));
    }
    return `${folder}/incoming`;
  });
}

/** A file in the store. */
export interface StoredArtifact {
  readonly path: string;
  readonly size: number;
  readonly isListed: boolean;
}

/** The file with this sha256; undefined if there is none, or if there is a link or a folder in its place. */
export function findArtifact(path: string, sha256: string): StoredArtifact | undefined {
  if (path === IN_MEMORY) return undefined;
  return onDisk(path, () => {
    const folder = artifactFolder(path);
    // In this order, a file is found while it is moved.
    for (const [place, isListed] of [
      ['incoming', false],
      ['sha256', true],
    ] as const) {
      const file = `${folder}/${place}/${sha256}`;
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats?.isFile()) return { path: file, size: stats.size, isListed };
    }
    return undefined;
  });
}

/** Whether the store of the database at `path` has a file of this size. */
export function storesFile(
  path: string,
): (file: { readonly sha256: string; readonly size: number }) => boolean {
  return ({ sha256, size }) => findArtifact(path, sha256)?.size === size;
}

/**
 * Moves a file that was found to those that releases list. The caller is about to list it, in a transaction: if that
 * fails, the file is only kept longer than necessary.
 */
export function keepArtifact(path: string, sha256: string): void {
  const found = findArtifact(path, sha256);
  if (!found || found.isListed) return;
  onDisk(path, () => {
    const place = artifactPath(path, sha256);
    renameSync(found.path, place);
    syncFolder(dirname(place));
  });
}

/** The names in a folder; none if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Runs `work`. An error of the file system becomes a DatabaseError that names the folder of `path`. */
export function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDiskError(path, error);
  }
}

/** A DatabaseError for an error of the file system; any other error as it is. */
export function asDiskError(path: string, error: unknown): unknown {
  const code = diskErrorCode(error);
  if (code === undefined) return error;
  const found = `${quote(`${path}-files`)}: it cannot be used (${code})`;
  return new DatabaseError('unwritable', found, { cause: error });
}
