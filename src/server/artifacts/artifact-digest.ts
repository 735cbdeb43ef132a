import { createHash } from 'node:crypto';

/** The sha256, in lower case, and the number of `bytes`. */
export async function digestOf(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { sha256: hash.digest('hex'), size };
}
