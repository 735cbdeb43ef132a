import { describe, expect, it } from 'vitest';
import {
  keyIdOf,
  pinOf,
  publicKeyOf,
  signatureOf,
  verifierOf,
} from '../../../src/registry/trust/ed25519.ts';
import { privateKeyIn } from '../../../src/server/tls/private-key.ts';
import { AUTHOR, keyOf, trustOf } from '../../support/signed.ts';

/** RFC 8032, 7.1: the secret key, the public key, the message and the signature, in hexadecimal. */
const VECTORS = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
] as const;

function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

describe('[D132] Ed25519', () => {
  it.each(VECTORS)('agrees with RFC 8032: %s', (secret, open, message, signature) => {
    const { privateKey } = keyOf(Buffer.from(secret, 'hex'));
    const text = Buffer.from(message, 'hex').toString('latin1');
    expect(publicKeyOf(privateKey)).toBe(`ed25519:${base64(open)}`);
    expect(signatureOf(privateKey, text)).toBe(base64(signature));
    const verify = verifierOf(publicKeyOf(privateKey));
    expect(verify(text, base64(signature))).toBe(true);
    expect(verify(`${text} `, base64(signature))).toBe(false);
    const altered = Buffer.from(signature, 'hex');
    altered[0] = (altered[0] ?? 0) ^ 1;
    expect(verify(text, altered.toString('base64'))).toBe(false);
  });

  it('has the first half of the digest of a key as its id, and the digest of a body as its pin', () => {
    expect(keyIdOf(AUTHOR.text)).toBe(AUTHOR.id);
    const { text, pin } = trustOf();
    expect(pinOf(text.slice(0, text.indexOf('\n\n') + 1))).toBe(pin);
  });

  it('refuses every signature of a key that is no point of the curve', () => {
    const none = `ed25519:${Buffer.alloc(32, 0xff).toString('base64')}`;
    expect(verifierOf(none)('text', AUTHOR.sign('text'))).toBe(false);
  });

  it('reads the keys that openssl writes', () => {
    const pem = AUTHOR.privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(publicKeyOf(privateKeyIn(pem))).toBe(AUTHOR.text);
  });
});
