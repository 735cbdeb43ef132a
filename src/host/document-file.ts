import { closeSync, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { LARGEST_DOCUMENT } from '../config/largest-document.ts';
import type { Result } from '../core/index.ts';
import { unreadableWords } from '../core/text/file-words.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import { nearPath } from './near-path.ts';

/** The content of a file that is read as a document. */
export interface DocumentFile {
  /** The path as the caller gave it. */
  readonly path: string;
  /** The content. Of a file above the limit, the limit and one more byte. */
  readonly bytes: Uint8Array;
  /** The mode of a regular file; undefined for other files, such as pipes. */
  readonly mode: number | undefined;
}

const NOT_REGULAR = 'not a regular file';

/** The path that means stdin. */
export const STDIN = '-';

/**
 * Reads the file at `path`, up to `most` bytes and one more. Reading stdin or a pipe of a shell, such as `/dev/fd/63`, blocks until
 * its writer closes it. A pipe in a folder may have no writer, and is refused.
 */
export function readDocumentFile(
  path: string,
  most: number = LARGEST_DOCUMENT,
): Result<DocumentFile, Problem> {
  let file: number | undefined;
  try {
    if (path !== STDIN && isNamedPipe(path)) {
      return { ok: false, error: unreadableFile(path, NOT_REGULAR) };
    }
    file = path === STDIN ? 0 : openSync(path, 'r');
    const stat = fstatSync(file);
    const bytes = readUpTo(file, most + 1);
    return { ok: true, value: { path, bytes, mode: stat.isFile() ? stat.mode : undefined } };
  } catch (error) {
    return { ok: false, error: unreadableFile(path, codeOf(error)) };
  } finally {
    if (file) closeSync(file);
  }
}

/** Reads the file at `path` like `readDocumentFile`, but refuses anything except a regular file, so it never blocks. */
export function readRegularFile(
  path: string,
  most: number = LARGEST_DOCUMENT,
): Result<DocumentFile, Problem> {
  try {
    const isOther = statSync(path, { throwIfNoEntry: false })?.isFile() === false;
    if (isOther) return { ok: false, error: unreadableFile(path, NOT_REGULAR) };
  } catch (error) {
    return { ok: false, error: unreadableFile(path, codeOf(error)) };
  }
  return readDocumentFile(path, most);
}

/** Whether `path` itself is a pipe: those of a shell are links to one. */
function isNamedPipe(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** Whether `path` exists. A dangling link counts. */
export function existsAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // For other errors, such as EACCES, reading the file will report the reason.
    return codeOf(error) !== 'ENOTDIR';
  }
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}

/** Why the file at `path` cannot be read: the code of the system, or in words. (D426) */
export function unreadableFile(path: string, reason: string): Problem {
  const isLost = reason === 'ENOENT';
  const what = isLost && existsAt(path) ? 'is a link to nothing' : unreadableWords(reason);
  const message = `the file ${quote(path)} ${what}`;
  const near = isLost ? nearPath(path) : undefined;
  const suggestion = near && excerpt(near);
  return { severity: 'error', kind: 'unreadable-file', message, suggestion };
}

function readUpTo(file: number, most: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let left = most; left > 0;) {
    const chunk = new Uint8Array(Math.min(left, 65_536));
    const count = readSync(file, chunk);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    left -= count;
  }
  return Buffer.concat(chunks);
}
