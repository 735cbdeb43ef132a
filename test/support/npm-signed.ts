import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { NpmKey } from '../../src/core/machine/update-policy.ts';

/*
 * Packages and keys as an npm registry has them, written without the code that checks.
 */

export interface TestNpmKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The key as the policy has it. */
  readonly listed: NpmKey;
  /** Its entry of `dist.signatures` over a text. */
  readonly sign: (text: string) => { readonly keyid: string; readonly sig: string };
}

/** A new key of a curve of openssl. */
export function npmKey(name: string, namedCurve = 'prime256v1'): TestNpmKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const keyid = `SHA256:${name}`;
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    privateKey,
    publicKey,
    listed: { keyid, key },
    sign: (text) => ({
      keyid,
      sig: sign('sha256', Buffer.from(text), privateKey).toString('base64'),
    }),
  };
}

/** The `integrity` of a file. */
export function integrityOf(content: string, algorithm = 'sha512'): string {
  return `${algorithm}-${createHash(algorithm).update(content).digest('base64')}`;
}

/** A version of a packument, whose file is `content`. */
export function npmVersion(
  content: string,
  signatures: unknown,
  dist: Readonly<Record<string, unknown>> = {},
): object {
  const tarball = `https://npm.example/${content}.tgz`;
  return { dist: { tarball, integrity: integrityOf(content), signatures, ...dist } };
}
