import type { ModuleId } from '../../core/index.ts';
import { firstFew } from '../../core/text/few.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import { releaseText } from '../../core/trust/release-text.ts';
import { yankText } from '../../core/trust/yank-text.ts';
import { roleOf, type Role } from '../../core/trust/role.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import { keyIdOf, verifierOf } from '../../registry/trust/ed25519.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { moduleIn, releaseIn } from './module-row.ts';
import type { PublishedRelease } from './published-release.ts';
import { newSignatures, type Signatures } from './release-content.ts';

const MOST_NAMED = 3;

/** The text of the last version of the trust document; undefined if there is none. */
export function newestDocument(sql: Statements): string | undefined {
  const row = sql.get('SELECT document FROM trust_documents ORDER BY version DESC LIMIT 1');
  return row && String(row['document']);
}

/**
 * Why a registry does not take a publication, by its newest trust document; undefined if it does, or has none. It takes only
 * signatures that it can check. Fewer than machines need are no reason: the others are added later (D146).
 */
export function signatureFault(
  sql: Statements,
  moduleId: ModuleId,
  release: PublishedRelease,
): string | undefined {
  const newest = newestDocument(sql);
  if (newest === undefined) return undefined;
  const document = readTrustDocument(newest);
  if (!document.ok) return `the trust document of the registry cannot be read: ${document.error}`;
  const name = `${moduleId} ${release.version}`;
  const role = roleOf(document.value, moduleId);
  if (!role) {
    return `${name} cannot be signed: the trust document of the registry names no key for ${namespaceOf(moduleId)}`;
  }
  const module = moduleIn(sql, moduleId);
  const before = module && releaseIn(sql, module, release.version);
  const publishedAt = release.publishedAt ?? before?.published_at;
  const text = releaseText(moduleId, { ...release, publishedAt });
  const found = faultIn(newSignatures(before, release), role, text);
  if (found === undefined) return undefined;
  const keys = firstFew(role.keys.map(keyIdOf), MOST_NAMED).join(', ');
  return `${name} has ${found}, and this registry takes only what a key of ${namespaceOf(moduleId)} signed (${keys}): sign it with modreg registry publish ${name} --key <file>, and the same files`;
}

/** A yank, as authors sign it. */
export interface SignedYank {
  readonly version: string;
  readonly reason: string;
  readonly signatures?: Signatures | undefined;
}

/** Why a registry does not take the signatures of a yank, by its newest trust document; undefined if it does, or has none (D166). */
export function yankFault(
  sql: Statements,
  moduleId: ModuleId,
  { version, reason, signatures = {} }: SignedYank,
): string | undefined {
  if (Object.keys(signatures).length === 0) return undefined;
  const newest = newestDocument(sql);
  const document = newest === undefined ? undefined : readTrustDocument(newest);
  if (!document?.ok) return undefined;
  const role = roleOf(document.value, moduleId) ?? { threshold: 1, keys: [] };
  const found = faultIn(signatures, role, yankText(moduleId, version, reason), 'yank');
  return found && `the yank of ${moduleId} ${version} has ${found}`;
}

function faultIn(
  added: Readonly<Record<string, string>>,
  role: Role,
  text: string | undefined,
  what: 'release' | 'yank' = 'release',
): string | undefined {
  const keys = new Map(role.keys.map((key) => [keyIdOf(key), key]));
  for (const [keyId, signature] of Object.entries(added)) {
    const key = keys.get(keyId);
    if (key === undefined) return `a signature of key ${keyId}`;
    if (text === undefined || !verifierOf(key)(text, signature)) {
      return `a signature of key ${keyId} that is not of this ${what}`;
    }
  }
  return Object.keys(added).length === 0 ? 'no signature' : undefined;
}
