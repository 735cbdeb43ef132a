import type { ModuleId } from '../../core/index.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { PublishedRelease } from './published-release.ts';
import { newestDocument, signatureFault } from './signature-fault.ts';

/** The trust documents of a registry. They name the keys that machines accept, and their digests are in policies (D130). */
export interface CatalogueTrust {
  /** Their texts, the first version first; none if the registry has no keys. */
  readonly documents: () => readonly string[];
  /** The text of the last version; undefined if there is none. */
  readonly newest: () => string | undefined;
  /** Stores the first one. Returns whether it was stored: not if there is one already. */
  readonly begin: (document: string) => boolean;
  /** Stores a later version, unless there is one with this number. */
  readonly append: (version: number, document: string) => boolean;
  /** Why the newest one does not allow a publication; undefined if it does. */
  readonly fault: (id: ModuleId, release: PublishedRelease) => string | undefined;
}

const INSERT = 'INSERT OR IGNORE INTO trust_documents VALUES (?, ?)';

/** `change` runs its argument in a transaction. */
export function catalogueTrust(sql: Statements, change: <T>(work: () => T) => T): CatalogueTrust {
  const append = (version: number, document: string): boolean =>
    change(() => sql.run(INSERT, version, document).changes === 1);
  return {
    documents: () =>
      sql
        .all('SELECT document FROM trust_documents ORDER BY version')
        .map(({ document }) => String(document)),
    newest: () => newestDocument(sql),
    begin: (document) => append(1, document),
    append,
    fault: (moduleId, release) => signatureFault(sql, moduleId, release),
  };
}
