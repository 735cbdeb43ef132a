import { statSync } from 'node:fs';
import { parseModuleId, type ModuleId } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { firstList } from '../../registry/first-list.ts';
import { expectListSize, expectParsable } from '../../registry/formats/file-limits.ts';
import { lazyList, type ListEntries } from '../../registry/formats/decoded-list.ts';
import { parseJsonBytes } from '../../registry/formats/json-text.ts';
import { releaseEntries } from '../../registry/formats/release-document.ts';
import { withErrorContext } from '../../registry/http/error-context.ts';
import { noteOrigin } from '../../registry/list-origin.ts';
import { RegistryError, type RegistryErrorKind } from '../../registry/registry-error.ts';
import type { Registry } from '../../registry/registry.ts';
import { unknownModule } from '../../registry/unknown-module.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../sqlite/database-error.ts';
import { integrityLines } from '../../sqlite/integrity-lines.ts';
import { openDatabase, translated } from '../../sqlite/database.ts';
import { Catalogue } from './catalogue.ts';
import { SCHEMA } from './catalogue-schema.ts';

const KINDS: Readonly<Record<DatabaseErrorKind, RegistryErrorKind>> = {
  missing: 'unreadable-file',
  damaged: 'not-a-registry',
  unreadable: 'not-a-registry',
  'later-schema': 'not-a-registry',
  locked: 'registry-busy',
  unwritable: 'registry-busy',
};

/**
 * A registry that reads release lists from the catalogue file at `path`, without a server. Each read opens and
 * closes the file. `clock` returns the time in milliseconds since the epoch; it dates each list.
 */
export function catalogueRegistry(path: string, clock: () => number): Registry {
  return {
    async read(moduleId) {
      const { entries, digest } = entriesIn(path, moduleId);
      const from = quote(path);
      const list = lazyList(entries, { source: 'database' as const, from, ...firstList(clock()) });
      noteOrigin(list.records, { address: path, digest });
      return list;
    },
  };
}

/** The trust documents in the catalogue file at `path`. */
export function trustInCatalogue(path: string): readonly string[] {
  return within(path, (catalogue) => catalogue.trust.documents());
}

/** Reads the file at `path`. What is wrong with it is a RegistryError. */
function within<T>(path: string, work: (catalogue: Catalogue) => T): T {
  try {
    const catalogue = new Catalogue(path, { mode: 'read' });
    try {
      checkPages(path);
      return work(catalogue);
    } finally {
      catalogue.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new RegistryError(KINDS[error.kind], error.message, { cause: error });
  }
}

function entriesIn(
  path: string,
  moduleId: ModuleId,
): { readonly entries: ListEntries; readonly digest: string } {
  const where = `the registry ${quote(path)}`;
  return within(path, (catalogue) => {
    expectListSize(path, catalogue.listSize(moduleId));
    const document = catalogue.document(moduleId);
    if (!document) throw unknownModule(where, moduleId, modulesOf(catalogue));
    const entries = withErrorContext(where, () => {
      expectParsable(document.bytes);
      return releaseEntries(parseJsonBytes(document.bytes), moduleId);
    });
    return { entries, digest: document.etag };
  });
}

const BUSY_TIMEOUT_MS = 5000;
/** By path: what the system said about the file when its pages were last checked. */
const CHECKED = new Map<string, string>();

/**
 * Throws a DatabaseError if the pages of the file do not form trees: reading crafted ones might never end (T91). A file that did
 * not change is not checked again. A megabyte takes 2 ms.
 */
function checkPages(path: string): void {
  const states = [path, `${path}-wal`].map((name) => {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    return found && [found.dev, found.ino, found.size, found.mtimeNs].join(' ');
  });
  const state = states.join();
  if (CHECKED.get(path) === state) return;
  const found = translated(path, () => quickCheck(path));
  if (found !== 'ok')
    throw new DatabaseError(
      'damaged',
      `${quote(path)}: ${excerpt(integrityLines(found).join('; '))}`,
    );
  CHECKED.set(path, state);
}

/** The first damage that SQLite finds in the pages of the file, or `ok`. */
function quickCheck(path: string): string {
  const database = openDatabase(path, SCHEMA, { mode: 'read', busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  } finally {
    database.close();
  }
}

function modulesOf(catalogue: Catalogue): ModuleId[] {
  return catalogue.modules().flatMap((text) => {
    const id = parseModuleId(text);
    return id.ok ? [id.value] : [];
  });
}
