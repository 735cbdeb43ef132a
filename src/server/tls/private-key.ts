import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * The private key in PEM. Throws an error of OpenSSL if there is none, or if it needs another passphrase. An error that other work of this
 * thread has left in OpenSSL makes `createPrivateKey` fail once, and is gone then (T441).
 */
export function privateKeyIn(pem: string | Buffer, passphrase?: string): KeyObject {
  const key = { key: pem, ...(passphrase === undefined ? {} : { passphrase }) };
  try {
    return createPrivateKey(key);
  } catch {
    return createPrivateKey(key);
  }
}
