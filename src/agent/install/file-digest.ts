import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** A digest of a release that a file can be compared with. */
export interface FullDigest {
  readonly algorithm: 'sha256' | 'sha512';
  /** In lower case. */
  readonly hex: string;
}

const FULL_DIGEST = /^(?:(sha256):([\da-f]{64})|(sha512):([\da-f]{128}))$/i;
const CHUNK_BYTES = 256 * 1024;

/** Undefined for sha1, which does not identify a file, and for any other text (D36). */
export function fullDigest(text: string | undefined): FullDigest | undefined {
  const [, , sha256, , sha512] = FULL_DIGEST.exec(text ?? '') ?? [];
  if (sha256 !== undefined) return { algorithm: 'sha256', hex: sha256.toLowerCase() };
  return sha512 === undefined ? undefined : { algorithm: 'sha512', hex: sha512.toLowerCase() };
}

/** The hash of the whole file, to which more can be added, and its size. */
export async function hashFile(
  file: FileHandle,
  algorithm: FullDigest['algorithm'],
  signal: AbortSignal | undefined,
): Promise<{ readonly hash: Hash; readonly size: number }> {
  const hash = createHash(algorithm);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let size = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, size);
    if (bytesRead === 0) return { hash, size };
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
}
