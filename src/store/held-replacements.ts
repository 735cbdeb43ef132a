import type { ActionTarget } from '../core/index.ts';
import type { HeldReplacement } from '../core/decision/longest-hold.ts';
import { keyOf, moduleOf, type TargetName } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { numberOf } from './columns.ts';
import { targetIn } from './target.ts';

/** Since when a target is held (D79), and the module that it had. */
export interface StoredHeld {
  readonly target: TargetName;
  readonly moduleId: string;
  readonly held: HeldReplacement;
}

/** Since when replacements of targets are held, by the keys of these (D79). */
export function heldReplacementsIn(sql: Statements): Map<string, StoredHeld> {
  return new Map(
    sql.all('SELECT * FROM held_replacements').map((row): [string, StoredHeld] => {
      const target = targetIn(row);
      const held = {
        deployed: String(row['deployed']),
        since: Number(row['since']),
        elapsedMs: Number(row['elapsed_ms']),
        countedAt: numberOf(row['counted_at']),
      };
      return [keyOf(target), { target, moduleId: String(row['module_id']), held }];
    }),
  );
}

/** Records since when a target is held, and how long that has lasted. */
export function noteHeld(sql: Statements, target: ActionTarget, held: HeldReplacement): void {
  const { kind, name } = target;
  const { deployed, since, elapsedMs, countedAt = null } = held;
  sql.run(WRITE, kind, name, moduleOf(target), deployed, since, elapsedMs, countedAt);
}

/** Forgets that a target was held. */
export function endHeld(sql: Statements, { kind, name }: TargetName): void {
  sql.run('DELETE FROM held_replacements WHERE kind = ? AND name = ?', kind, name);
}

const WRITE = `
  INSERT OR REPLACE INTO held_replacements
    (kind, name, module_id, deployed, since, elapsed_ms, counted_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
