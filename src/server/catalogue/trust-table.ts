import type { ModuleId, Result } from '../../core/index.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import { signedDocument, successorFault } from '../../registry/trust/pinned-document.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { PublishedRelease } from './published-release.ts';
import { newestDocument, signatureFault, yankFault, type SignedYank } from './signature-fault.ts';

/** The trust documents of a registry. They name the keys that machines accept, and their digests are in policies (D130). */
export interface CatalogueTrust {
  /** Their texts, the first version first; none if the registry has no keys. */
  readonly documents: () => readonly string[];
  /** The text of the last version; undefined if there is none. */
  readonly newest: () => string | undefined;
  /** Stores the next version. */
  readonly store: (document: string) => TrustResult;
  /** Why the newest one does not allow a publication; undefined if it does. */
  readonly fault: (id: ModuleId, release: PublishedRelease) => string | undefined;
  /** The same for the signatures of a yank, which needs none. */
  readonly yankFault: (id: ModuleId, yank: SignedYank) => string | undefined;
}

/** `unchanged`: the document is the newest one already. The error, without a subject, is why no machine would follow to it. */
export type TrustResult = Result<'done' | 'unchanged', string>;

/** `change` runs its argument in a transaction. */
export function catalogueTrust(sql: Statements, change: <T>(work: () => T) => T): CatalogueTrust {
  return {
    documents: () =>
      sql
        .all('SELECT document FROM trust_documents ORDER BY version')
        .map(({ document }) => String(document)),
    newest: () => newestDocument(sql),
    store: (document) => change(() => storeDocument(sql, document)),
    fault: (moduleId, release) => signatureFault(sql, moduleId, release),
    yankFault: (moduleId, yank) => yankFault(sql, moduleId, yank),
  };
}

/** Stores the first trust document of a registry, or the version after the newest, which the root keys of both signed (D152, D164). */
export function storeDocument(sql: Statements, text: string): TrustResult {
  const next = signedDocument(text);
  if (!next.ok) return next;
  const newest = newestDocument(sql);
  if (newest === text) return { ok: true, value: 'unchanged' };
  const { version } = next.value;
  const last = newest === undefined ? undefined : readTrustDocument(newest);
  if (last?.ok === false)
    return { ok: false, error: `follows one that cannot be read: ${last.error}` };
  const firstFault = version === 1 ? undefined : `has version ${version}, expected 1`;
  const fault = last ? successorFault(last.value, next.value) : firstFault;
  if (fault !== undefined) return { ok: false, error: fault };
  sql.run('INSERT INTO trust_documents VALUES (?, ?)', version, text);
  return { ok: true, value: 'done' };
}
