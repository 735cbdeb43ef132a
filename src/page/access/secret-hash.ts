import { createHash } from 'node:crypto';

/** What is stored of a code or a token. Both are random and long, so a fast hash is enough. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
