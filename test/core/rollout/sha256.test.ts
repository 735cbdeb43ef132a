import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from '../../../src/core/rollout/sha256.ts';

function hexOf(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}

it.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
])('[D347] the SHA-256 of %j is that of FIPS 180-4', (text, expected) => {
  expect(hexOf(sha256(new TextEncoder().encode(text)))).toBe(expected);
});

it('[D347] bytes of each length have the SHA-256 of Node', () => {
  const lengths = Array.from({ length: 300 }, (_, length) => length);
  const texts = lengths.map((length) =>
    Uint8Array.from({ length }, (_, place) => place * 7 + length),
  );
  expect(texts.map((bytes) => hexOf(sha256(bytes)))).toEqual(
    texts.map((bytes) => createHash('sha256').update(bytes).digest('hex')),
  );
});
