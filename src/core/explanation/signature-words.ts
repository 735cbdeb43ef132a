import type { Refusal } from '../releases/refusal.ts';
import { excerpt } from '../text/quote.ts';

/** How many keys signed a release, and how many have to (D133). */
export function unsignedWords({
  signed,
  needed,
  of,
}: Extract<Refusal, { reason: 'unsigned' }>): string {
  if (of === 'npm') {
    return 'unsigned: no signature of its npm registry; a mirror may have dropped it, so name the registry itself';
  }
  if (needed === undefined) return 'unsigned: its signatures were not checked';
  if (needed === 0) return 'unsigned: no key may sign for its namespace';
  return `unsigned: ${signed} of ${needed} ${needed === 1 ? 'signature' : 'signatures'}`;
}

/** What is wrong with the signatures of a release. */
export function badSignatureWords({
  found,
  keyId = '',
}: Extract<Refusal, { reason: 'bad-signature' }>): string {
  switch (found) {
    case 'wrong':
      return `bad signature: that of key ${keyId} is not of this release`;
    case 'other-key':
      return `bad signature: key ${keyId} may not sign for its namespace`;
    case 'unknown-key':
      return `bad signature: key ${excerpt(keyId)} is not in npm_keys; if its registry has a new key, add it`;
    case 'expired-key':
      return `bad signature: key ${keyId} had expired when the release was published, or that time is not known`;
    case 'listed-twice':
      return 'bad signature: the list has the version twice';
    case 'too-many':
      return 'bad signature: the list has too many wrong ones, so no more are checked';
  }
}
