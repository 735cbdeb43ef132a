import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import { readDocumentFile, STDIN } from './document-file.ts';
import { secretIn } from './secret-file.ts';

/** In bytes, of stdin as of a file. */
export const LARGEST_INPUT = 64 * 1024;

/** A secret that a person gives a command: the text of a file that only its owner can read, or of stdin, without the end of its last line. */
export function typedSecret(path: string): Result<string, Problem> {
  const read = typedBytes(path);
  return read.ok ? { ok: true, value: secretText(read.value) } : read;
}

/** The bytes of such a file or of stdin. Of more than `LARGEST_INPUT`, so many and one more. */
export function typedBytes(path: string): Result<Buffer, Problem> {
  return path === STDIN ? fromStdin() : secretIn(path);
}

/** The text of the bytes, without the end of its last line. */
export function secretText(bytes: Buffer): string {
  return bytes.toString().replace(/\r?\n$/, '');
}

function fromStdin(): Result<Buffer, Problem> {
  const read = readDocumentFile(STDIN, LARGEST_INPUT);
  return read.ok ? { ok: true, value: Buffer.from(read.value.bytes) } : read;
}
