import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from './scope.ts';

/** A token of a catalogue, without its text. Times are milliseconds since the epoch. */
export interface StoredToken {
  /** `t1`, `t2`, …: never used again for another token. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** Why and since when a token is no longer accepted; undefined if it still is. */
export function lapseOf(
  { expiresAt, revokedAt }: Pick<StoredToken, 'expiresAt' | 'revokedAt'>,
  now: number,
): { readonly kind: 'revoked' | 'expired'; readonly at: number } | undefined {
  if (revokedAt !== undefined) return { kind: 'revoked', at: revokedAt };
  if (expiresAt === undefined || expiresAt > now) return undefined;
  return { kind: 'expired', at: expiresAt };
}

/** A new bearer token. */
export function newToken(): string {
  return `modreg_${randomBytes(32).toString('base64url')}`;
}

/** What a catalogue stores of a token. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Without letters that people take for others. */
const CODE_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The text of an invitation, which people may have to type: 80 bits, `modreg_k7q2-m4x9-w3bd-5nfz`. */
export function newCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => CODE_LETTERS[byte % CODE_LETTERS.length]);
  return `modreg_${letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')}`;
}
