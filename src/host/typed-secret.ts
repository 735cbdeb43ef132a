import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import { readDocumentFile, STDIN } from './document-file.ts';
import { secretIn } from './secret-file.ts';

const LARGEST_INPUT = 64 * 1024;

/** A secret that a person gives a command: the text of a file that only its owner can read, or of stdin, without the end of its last line. */
export function typedSecret(path: string): Result<string, Problem> {
  const read = path === STDIN ? fromStdin() : secretIn(path);
  if (!read.ok) return read;
  return { ok: true, value: read.value.toString().replace(/\r?\n$/, '') };
}

function fromStdin(): Result<Buffer, Problem> {
  const read = readDocumentFile(STDIN, LARGEST_INPUT);
  return read.ok ? { ok: true, value: Buffer.from(read.value.bytes) } : read;
}
