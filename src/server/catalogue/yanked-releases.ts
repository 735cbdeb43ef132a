import type { ModuleId } from '../../core/index.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { moduleIn } from './module-row.ts';

/** A release that is yanked. */
export interface YankedRelease {
  readonly version: string;
  /** As published; may be empty. */
  readonly reason: string;
}

/** The yanked releases of a module, by the order in which they were published. */
export function yankedReleases(sql: Statements, moduleId: ModuleId): readonly YankedRelease[] {
  const module = moduleIn(sql, moduleId);
  if (!module) return [];
  return sql
    .all(YANKED, module.id)
    .map(({ version, yanked }) => ({ version: String(version), reason: String(yanked) }));
}

const YANKED =
  'SELECT version, yanked FROM releases WHERE module = ? AND yanked IS NOT NULL ORDER BY id';
