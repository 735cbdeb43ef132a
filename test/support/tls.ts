import { chmodSync, copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './folder.ts';

/** A certificate of `test/fixtures/tls`, in one file with its key. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
}

/** A file for the certificate and one for its key, which only the owner may read. */
export function tlsFiles(name = 'good'): { readonly certificate: string; readonly key: string } {
  const folder = temporaryFolder();
  const files = { certificate: `${folder}/cert.pem`, key: `${folder}/key.pem` };
  for (const path of Object.values(files)) {
    copyFileSync(fixture(name), path);
    chmodSync(path, 0o600);
  }
  return files;
}
