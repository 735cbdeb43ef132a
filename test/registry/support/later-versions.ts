import { DatabaseSync } from 'node:sqlite';
import type { Catalogue } from '../../../src/server/index.ts';
import { role, ROOT_ONE, trustOf, type TestKey } from '../../support/signed.ts';
import { NAMESPACE, REGISTRY } from './signing-site.ts';

export const ROLES: readonly string[] = [role('registry', 1, REGISTRY), NAMESPACE];

/** The version `version` of a document, signed by these root keys. */
export function later(
  version: number,
  signers: readonly TestKey[] = [ROOT_ONE],
  more: Parameters<typeof trustOf>[2] = {},
  roles: readonly string[] = ROLES,
): string {
  return trustOf(roles, signers, { version, ...more }).text;
}

/** A registry that is not ours may have any text under any number. */
export function append({ path }: Catalogue, version: number, text: string): void {
  const file = new DatabaseSync(path);
  file.prepare('INSERT INTO trust_documents VALUES (?, ?)').run(version, text);
  file.close();
}
