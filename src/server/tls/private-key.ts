import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * The private key in PEM. Throws an error of OpenSSL if there is none, or if it needs a passphrase. An error that other work of this
 * thread has left in OpenSSL makes `createPrivateKey` fail once, and is gone then (T441).
 */
export function privateKeyIn(pem: string | Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    return createPrivateKey(pem);
  }
}
