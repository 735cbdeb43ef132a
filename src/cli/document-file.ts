import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LARGEST_DOCUMENT } from '../config/read-document.ts';
import type { Result } from '../core/index.ts';
import { quote } from '../core/quote.ts';
import type { Problem } from './problem.ts';

/** A file that is to be read as a document. */
export interface DocumentFile {
  /** As it was named. */
  readonly path: string;
  /** Of a file that is larger than any document, one byte more than a document has. */
  readonly bytes: Uint8Array;
  /** Undefined for what is not a regular file. */
  readonly mode: number | undefined;
}

/** Reads the file at `path`; undefined where there is none. */
export function readDocumentFile(path: string): Result<DocumentFile | undefined, Problem> {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stat = fstatSync(file);
    const bytes = readUpTo(file, LARGEST_DOCUMENT + 1);
    return { ok: true, value: { path, bytes, mode: stat.isFile() ? stat.mode : undefined } };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === '') throw error;
    if (code === 'ENOENT') return { ok: true, value: undefined };
    return { ok: false, error: unreadableFile(path, code) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export function unreadableFile(path: string, code: string): Problem {
  const message = `the file ${quote(path)} cannot be read (${code})`;
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
