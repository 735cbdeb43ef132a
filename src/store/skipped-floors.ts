import type { ActionTarget } from '../core/index.ts';
import type { RememberedSkip } from '../core/plan/machine-memory.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { SkippedFloor } from '../core/releases/eligibility-policy.ts';
import type { Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';
import { targetIn } from './target.ts';

/** More floors than a machine has to pass; of more, those that were skipped last are kept. */
const MOST_SKIPS = 200;

/** The floors that operators skipped, in the order in which they were skipped (D92). */
export function skippedFloorsIn(sql: Statements): RememberedSkip[] {
  return sql
    .all('SELECT * FROM skipped_floors ORDER BY at, kind, name, version')
    .map((row) => ({
      target: targetIn(row),
      moduleId: String(row['module_id']),
      skip: {
        version: String(row['version']),
        by: String(row['skipped_by']),
        because: textOf(row['reason']),
        at: Number(row['at']),
      },
    }));
}

/** Records that a target passes a floor, in place of an earlier record of the same. */
export function skipFloor(sql: Statements, target: ActionTarget, skip: SkippedFloor): void {
  const { version, by, because = null, at } = skip;
  sql.run(WRITE, target.kind, target.name, moduleOf(target), version, by, because, at);
  sql.run(PRUNE, MOST_SKIPS);
}

/** Lets a skipped floor count again. Returns whether it was skipped. */
export function unskipFloor(sql: Statements, target: ActionTarget, version: string): boolean {
  const { changes } = sql.run(END, target.kind, target.name, moduleOf(target), version);
  return Number(changes) > 0;
}

const WRITE = `
  INSERT OR REPLACE INTO skipped_floors (kind, name, module_id, version, skipped_by, reason, at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const END =
  'DELETE FROM skipped_floors WHERE kind = ? AND name = ? AND module_id = ? AND version = ?';
const PRUNE = `
  DELETE FROM skipped_floors WHERE (kind, name, module_id, version) IN (
    SELECT kind, name, module_id, version FROM skipped_floors ORDER BY at DESC LIMIT -1 OFFSET ?)`;
