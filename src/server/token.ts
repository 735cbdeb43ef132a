import { createHash, randomBytes } from 'node:crypto';

/** A new bearer token. */
export function newToken(): string {
  return `modreg_${randomBytes(32).toString('base64url')}`;
}

/** What a catalogue stores of a token. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
