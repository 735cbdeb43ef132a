import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseModuleId } from '../../core/index.ts';
import { platformHome } from '../../config/platform-home.ts';
import { quote } from '../../core/text/quote.ts';
import { RegistryError, type RegistryErrorKind } from '../../registry/registry-error.ts';
import type { Registry } from '../../registry/registry.ts';
import { parseJsonBytes } from '../../registry/formats/json-text.ts';
import { decodeReleaseDocument } from '../../registry/formats/release-document.ts';
import { withErrorContext } from '../../registry/http/error-context.ts';
import { unknownModule } from '../../registry/unknown-module.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../sqlite/database-error.ts';
import type { World } from '../world.ts';

const KINDS: Readonly<Record<DatabaseErrorKind, RegistryErrorKind>> = {
  missing: 'unreadable-file',
  damaged: 'not-a-registry',
  unreadable: 'not-a-registry',
  'later-schema': 'not-a-registry',
  locked: 'registry-busy',
  unwritable: 'registry-busy',
};

/** The lists of an embedded registry, read from its file without a server. */
export function databaseRegistry(path: string, clock: () => number): Registry {
  const where = `the registry ${quote(path)}`;
  return {
    async read(moduleId) {
      // SQLite is only loaded where it is needed.
      const { Catalogue } = await import('../../server/catalogue.ts');
      try {
        const catalogue = new Catalogue(path, { mode: 'read' });
        try {
          const document = catalogue.document(moduleId);
          if (!document) {
            const known = catalogue.modules().flatMap((id) => {
              const parsed = parseModuleId(id);
              return parsed.ok ? [parsed.value] : [];
            });
            throw unknownModule(where, moduleId, known);
          }
          const list = withErrorContext(where, () =>
            decodeReleaseDocument(parseJsonBytes(document.bytes), moduleId),
          );
          return { ...list, source: 'database', from: quote(path), fetchedAt: clock() };
        } finally {
          catalogue.close();
        }
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        throw new RegistryError(KINDS[error.kind], error.message, { cause: error });
      }
    },
  };
}

/** Where the embedded registry's file is unless it is named; undefined without any home. */
export function defaultDatabase({ environment }: World): string | undefined {
  const home = platformHome(environment);
  return home && join(home, 'registry.db');
}

/** That file, where there is one. */
export function existingDatabase(world: World): string | undefined {
  const path = defaultDatabase(world);
  return path !== undefined && existsSync(path) ? path : undefined;
}
