import { statSync } from 'node:fs';

/** Codes of a path that leads to no file. */
const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/**
 * Whether the path leads to a file. Throws if the system does not say: `existsSync` takes that for no, and what is there would be replaced
 * or set aside.
 */
export function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // A cast: Node's errors of files have a code.
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
