import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { makeFolders } from '../files/make-folders.ts';
import { createFile } from '../files/replace-file.ts';
import { syncFolder } from '../files/sync.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { publicKeyOf } from '../registry/trust/ed25519.ts';
import { passphraseOf, type PassphraseOptions } from './passphrase.ts';

const PRIVATE = 0o600;
/** With a key that PBKDF2 makes of the passphrase (RFC 8018), as openssl writes and reads it. */
const CIPHER = 'aes-256-cbc';

/** A private key that is not written yet. */
interface NewKey {
  readonly path: string;
  readonly key: KeyObject;
  readonly passphrase: string | undefined;
}

export function newPair(path: string, passphrase: string | undefined): NewKey {
  return { path, key: generateKeyPairSync('ed25519').privateKey, passphrase };
}

/** Writes a new private key to `path`, where nothing may be, and returns its public key, for a trust document (D179). */
export function newKey(
  path: string,
  options: PassphraseOptions,
  world: World,
): Result<string, Problem> {
  const passphrase = passphraseOf(options, world);
  if (!passphrase.ok) return passphrase;
  const pair = newPair(path, passphrase.value);
  const problem = written(dirname(path), [pair]);
  return problem ? { ok: false, error: problem } : { ok: true, value: publicKeyOf(pair.key) };
}

/** Writes private keys, or none. The result is why there are none. */
export function written(folder: string, pairs: readonly NewKey[]): Problem | undefined {
  const existing = pairs.find(({ path }) => existsSync(path));
  if (existing) {
    const hint = '--to names another folder';
    return usage(`${quote(existing.path)} exists, and no key is overwritten`, hint);
  }
  const done: string[] = [];
  try {
    makeFolders(folder);
    for (const { path, key, passphrase } of pairs) {
      const locked = passphrase === undefined ? {} : { cipher: CIPHER, passphrase };
      const pem = key.export({ type: 'pkcs8', format: 'pem', ...locked });
      createFile(path, { mode: PRIVATE }, (descriptor) => writeFileSync(descriptor, pem));
      done.push(path);
    }
    // Without their names, the keys would be lost, and the document that names them not.
    for (const path of new Set(done.map((one) => dirname(one)))) syncFolder(path);
    return undefined;
  } catch (error) {
    for (const path of done) rmSync(path);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = `the keys cannot be written to ${quote(folder)} (${code === 'ENOENT' ? 'its folder does not exist' : code}); nothing was changed`;
    return { severity: 'error', kind: 'state-write', message };
  }
}
