import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { createFile, giveName } from '../../files/replace-file.ts';
import { syncFolder } from '../../files/sync.ts';

/** A name that a file has until it is complete and on the disk. */
export const PART = '.part';
const CHUNK_BYTES = 1024 * 1024;

/** The content of a file in short. */
export interface FileSummary {
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Reads the whole file at `path`. */
export function summaryOf(path: string): FileSummary {
  return reading(path, () => undefined);
}

/** Creates a folder that only its owner can access, and its parents. Their names are on the disk then. */
export function makeDurableFolders(path: string): void {
  const folder = resolve(path);
  const first = makeFolders(folder, 0o700);
  if (first === undefined) return;
  for (let one = folder; one.length >= first.length; one = dirname(one)) syncFolder(dirname(one));
}

/** Copies the file at `from` to `to`, unless its content differs from `expected`. Returns its content. */
export function copyDurably(from: string, to: string, expected: FileSummary): FileSummary {
  const part = to + PART;
  rmSync(part, { force: true });
  try {
    const copied = createFile(part, { mode: 0o600 }, (descriptor) =>
      reading(from, (chunk) => writeAll(descriptor, chunk)),
    );
    if (isSame(copied, expected)) giveName(part, to);
    return copied;
  } finally {
    // Other content, or a part of it because the disk is full.
    rmSync(part, { force: true });
  }
}

export function isSame(one: FileSummary, other: FileSummary): boolean {
  return one.size === other.size && one.sha256 === other.sha256;
}

function reading(path: string, take: (chunk: Uint8Array) => void): FileSummary {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const descriptor = openSync(path, 'r');
  let size = 0;
  try {
    for (;;) {
      const length = readSync(descriptor, buffer);
      if (length === 0) return { size, sha256: hash.digest('hex') };
      const chunk = buffer.subarray(0, length);
      hash.update(chunk);
      take(chunk);
      size += length;
    }
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
}
