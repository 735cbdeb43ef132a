import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync.ts';

const PRIVATE_MODE = 0o600;

/** Who can open a file. */
export interface Access {
  readonly mode: number;
  /** The owner of this process by default. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/**
 * Replaces the file at `path`, or creates it, with exactly `mode`, for `owner`: a crash or a loss of power leaves the earlier content or all of
 * `content`. Until it is complete, the new one is at `part`, in the same folder, where a killed process may leave it.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { part = `${path}.new`, ...access }: Access & { readonly part?: string },
): void {
  // It may also be a link, or open to others.
  rmSync(part, { force: true });
  createFile(part, access, (descriptor) => writeFileSync(descriptor, content));
  giveName(part, path);
}

/**
 * Creates a file and returns the result of `write`, whose content is then on the disk. Throws if there is a file or a link with this
 * name. After another error there is none.
 */
export function createFile<T>(
  path: string,
  { mode, owner }: Access,
  write: (descriptor: number) => T,
): T {
  const descriptor = openSync(path, 'wx', PRIVATE_MODE);
  try {
    const own = fstatSync(descriptor);
    if (owner && (own.uid !== owner.uid || own.gid !== owner.gid)) {
      fchownSync(descriptor, owner.uid, owner.gid);
    }
    if (mode !== PRIVATE_MODE) fchmodSync(descriptor, mode);
    const result = write(descriptor);
    fsyncSync(descriptor);
    return result;
  } catch (error) {
    discard(path);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the complete file at `part` the name `path`, which survives a loss of power. Without the name, there is no file. */
export function giveName(part: string, path: string): void {
  try {
    renameSync(part, path);
  } catch (error) {
    discard(part);
    throw error;
  }
  syncFolder(dirname(path));
}

/** Removes a file that is not needed, if that is possible: the caller throws the error that says why. */
export function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It stays.
  }
}
