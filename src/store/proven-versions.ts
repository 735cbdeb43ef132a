import type { ActionTarget } from '../core/index.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';

/*
 * The versions that were up for an hour in an entry. What fails with the world is no reason to refuse one of them for good (D104).
 */

/** @internal */
export function noteProven(sql: Statements, target: ActionTarget, version: string): void {
  const { kind, name } = target;
  sql.run(NOTE, kind, name, moduleOf(target), version);
}

export function isProven(sql: Statements, target: ActionTarget, version: string): boolean {
  const { kind, name } = target;
  return sql.get(SELECT, kind, name, moduleOf(target), version) !== undefined;
}

const NOTE = `
  INSERT OR IGNORE INTO proven_versions (kind, name, module_id, version) VALUES (?, ?, ?, ?)`;
const SELECT = `
  SELECT 1 FROM proven_versions WHERE kind = ? AND name = ? AND module_id = ? AND version = ?`;
