import { Certificate, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { privateKeyIn } from '../../src/server/tls/private-key.ts';

it('[T441] a private key is read although other work left an error in OpenSSL', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  // It finds nothing to verify, and leaves the reason.
  expect(Certificate.verifySpkac(Buffer.from('no base64'))).toBe(false);
  expect(privateKeyIn(pem).equals(privateKey)).toBe(true);
});
