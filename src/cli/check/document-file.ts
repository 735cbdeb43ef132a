import { closeSync, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { LARGEST_DOCUMENT } from '../../config/largest-document.ts';
import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import type { Problem } from '../problem.ts';

/** A file that is to be read as a document. */
export interface DocumentFile {
  /** As it was named. */
  readonly path: string;
  /** Of a file that is larger than what was asked for, one byte more. */
  readonly bytes: Uint8Array;
  /** Undefined for what is not a regular file. */
  readonly mode: number | undefined;
}

/** Reads what is at `path`, up to `most` bytes and one more; from a pipe, until its other end closes. */
export function readDocumentFile(
  path: string,
  most: number = LARGEST_DOCUMENT,
): Result<DocumentFile, Problem> {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stat = fstatSync(file);
    const bytes = readUpTo(file, most + 1);
    return { ok: true, value: { path, bytes, mode: stat.isFile() ? stat.mode : undefined } };
  } catch (error) {
    return { ok: false, error: unreadableFile(path, codeOf(error)) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The same for a file that nobody named: nothing is waited for. */
export function readRegularFile(
  path: string,
  most: number = LARGEST_DOCUMENT,
): Result<DocumentFile, Problem> {
  try {
    const isOther = statSync(path, { throwIfNoEntry: false })?.isFile() === false;
    if (isOther) return { ok: false, error: unreadableFile(path, 'not a regular file') };
  } catch (error) {
    return { ok: false, error: unreadableFile(path, codeOf(error)) };
  }
  return readDocumentFile(path, most);
}

/** Whether there is anything at `path`, be it a link to nothing. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // What cannot be looked at will say why when it is read.
    return codeOf(error) !== 'ENOTDIR';
  }
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}

function unreadableFile(path: string, reason: string): Problem {
  const message = `the file ${quote(path)} cannot be read (${reason})`;
  return { severity: 'error', kind: 'unreadable-file', message };
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
