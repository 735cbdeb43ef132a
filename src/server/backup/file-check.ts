import { lstatSync } from 'node:fs';
import { summaryOf } from './durable-files.ts';
import type { Finding } from './catalogue-check.ts';

/** Reads each hosted file: it must exist, and have its sha256 and size. `place` returns the path of a file. */
export function* fileFindings(
  files: ReadonlyMap<string, number>,
  place: (sha256: string) => string,
): Generator<Finding> {
  for (const [sha256, size] of files) {
    const found = mismatch(place(sha256), sha256, size);
    if (found !== undefined) yield `the hosted file sha256:${sha256}: ${found}`;
  }
}

/** How the file at `path` differs from what releases list; undefined if it does not. */
export function mismatch(path: string, sha256: string, size: number): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return 'there is no such file';
  if (!stats.isFile()) return 'it is not a file';
  if (stats.size !== size) return `it has ${stats.size} bytes, expected ${size}`;
  const found = summaryOf(path);
  return found.sha256 === sha256 ? undefined : `its content has the sha256 ${found.sha256}`;
}
