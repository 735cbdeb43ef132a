import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { releaseText } from '../src/core/trust/release-text.ts';
import type { Role } from '../src/core/trust/role.ts';
import { trustBody, trustText } from '../src/core/trust/trust-document.ts';
import { keyIdOf, pinOf, publicKeyOf, signatureOf } from '../src/registry/trust/ed25519.ts';
import type { Catalogue } from '../src/server/catalogue/catalogue.ts';
import { moduleId } from './parsed.ts';

/** The keys of a registry, of which one signs all releases. */
export interface Signing {
  readonly pin: string;
  /** The release with its signature. */
  readonly sign: <R extends Parameters<typeof releaseText>[1]>(
    module: string,
    release: R,
  ) => R & { readonly signatures: Readonly<Record<string, string>> };
}

function newKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

function role(key: KeyObject): Role {
  return { threshold: 1, keys: [publicKeyOf(key)] };
}

/** Gives a registry new keys, with which it signs its answers. */
export function storeTrust(catalogue: Catalogue): Signing {
  const [root, registry, author] = [newKey(), newKey(), newKey()];
  const pem = registry.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(`${catalogue.path}-key`, pem, { mode: 0o600 });
  const body = trustBody({
    name: 'bench',
    version: 1,
    expires: Date.parse('2099-01-01T00:00:00Z'),
    root: role(root),
    registry: role(registry),
    namespaces: new Map([['*', role(author)]]),
  });
  const signature = { keyId: keyIdOf(publicKeyOf(root)), signature: signatureOf(root, body) };
  const stored = catalogue.trust.store(trustText(body, [signature]));
  if (!stored.ok) throw new Error(stored.error);
  const authorId = keyIdOf(publicKeyOf(author));
  return {
    pin: pinOf(body),
    sign(module, release) {
      const text = releaseText(moduleId(module), release);
      if (text === undefined) throw new Error(`a release of ${module} cannot be signed`);
      return { ...release, signatures: { [authorId]: signatureOf(author, text) } };
    },
  };
}
