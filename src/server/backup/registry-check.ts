import { openDatabase } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { statementsOf } from '../../sqlite/statements.ts';
import { artifactPath } from '../artifacts/artifact-store.ts';
import { SCHEMA } from '../catalogue/catalogue-schema.ts';
import { catalogueFindings, contentsOf, type Contents, type Finding } from './catalogue-check.ts';
import { fileFindings } from './file-check.ts';

/** Long enough for a publication to end. */
const BUSY_TIMEOUT_MS = 5000;

/** A registry that was checked; no contents if they could not be read. */
export interface CheckedRegistry {
  readonly contents: Contents | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Checks the registry at `path`, also while it is served: the database and each hosted file (T77). Throws a DatabaseError if
 * it is missing or not a registry.
 */
export function checkRegistry(path: string): CheckedRegistry {
  try {
    const database = openDatabase(path, SCHEMA, { mode: 'read', busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      const findings = [...catalogueFindings(database, path)];
      if (findings.length > 0) return { contents: undefined, findings };
      const contents = contentsOf(statementsOf(database, path));
      const files = fileFindings(contents.files, (sha256) => artifactPath(path, sha256));
      return { contents, findings: [...files] };
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError && error.kind === 'damaged')) throw error;
    return { contents: undefined, findings: [error.message] };
  }
}
