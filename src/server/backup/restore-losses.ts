import type { DatabaseSync } from 'node:sqlite';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { openCopy } from '../../sqlite/other-openings.ts';
import { schemaIn } from '../../sqlite/schema.ts';
import { statementsOf, type Row, type Statements } from '../../sqlite/statements.ts';
import { SCHEMA } from '../catalogue/catalogue-schema.ts';

/** What a registry has and its backup has not. Machines may know it already. */
export interface Losses {
  /** Releases that only the registry has: `acme:lidar 1.2.10`. */
  readonly releases: readonly string[];
  /** Releases that are yanked only in the registry. */
  readonly yanks: readonly string[];
  /** Tokens that are revoked only in the registry: `t3 (ci)`. */
  readonly revocations: readonly string[];
  /** By how much a number of the registry exceeds that of the backup: the sequence or a generation. */
  readonly ahead: number;
}

const RELEASES = `
  SELECT namespace || ':' || name || ' ' || version AS id, yanked IS NOT NULL AS mark
  FROM releases JOIN modules ON modules.id = module ORDER BY namespace, name, releases.id`;
const TOKENS = `
  SELECT 't' || id || ' (' || name || ')' AS id, revoked_at IS NOT NULL AS mark FROM tokens ORDER BY tokens.id`;
const GENERATIONS = `SELECT namespace || ':' || name AS id, generation AS mark FROM modules`;

/** Compares an open registry with the backup at `copy`; undefined if the registry cannot be read. */
export function lossesOf(registry: DatabaseSync, path: string, copy: string): Losses | undefined {
  const backup = openCopy(copy);
  try {
    if (schemaIn(registry).applicationId !== SCHEMA.applicationId) return undefined;
    return compared(statementsOf(registry, path), statementsOf(backup, copy));
  } catch (error) {
    // Its releases are not known, but it can be replaced.
    if (error instanceof DatabaseError) return undefined;
    throw error;
  } finally {
    backup.close();
  }
}

/** The trust documents (D169) of an open registry, the first version first; none if it cannot be read. */
export function trustIn(registry: DatabaseSync, path: string): readonly string[] {
  try {
    const rows = statementsOf(registry, path).all(
      'SELECT document FROM trust_documents ORDER BY version',
    );
    return rows.map(({ document }) => String(document));
  } catch (error) {
    // An earlier modreg made it, or it is damaged.
    if (error instanceof DatabaseError) return [];
    throw error;
  }
}

function compared(registry: Statements, backup: Statements): Losses {
  const kept = marksIn(backup, RELEASES);
  const releases = [...marksIn(registry, RELEASES)];
  const tokens = marksIn(backup, TOKENS);
  return {
    releases: releases.flatMap(([id]) => (kept.has(id) ? [] : [id])),
    yanks: releases.flatMap(([id, mark]) => (mark === 1 && kept.get(id) === 0 ? [id] : [])),
    revocations: [...marksIn(registry, TOKENS)].flatMap(([id, mark]) =>
      mark === 1 && tokens.get(id) === 0 ? [id] : [],
    ),
    ahead: aheadOf(registry, backup),
  };
}

function aheadOf(registry: Statements, backup: Statements): number {
  const generations = marksIn(backup, GENERATIONS);
  const first = numberIn(backup, 'first_generation');
  let ahead = numberIn(registry, 'sequence') - numberIn(backup, 'sequence');
  for (const [id, generation] of marksIn(registry, GENERATIONS)) {
    ahead = Math.max(ahead, generation - (generations.get(id) ?? first));
  }
  return ahead;
}

function numberIn(sql: Statements, column: 'sequence' | 'first_generation'): number {
  return Number(sql.get(`SELECT ${column} FROM catalogue`)?.[column]);
}

function marksIn(sql: Statements, query: string): ReadonlyMap<string, number> {
  return new Map(sql.all(query).map(({ id, mark }: Row) => [String(id), Number(mark)]));
}
