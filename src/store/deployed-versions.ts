import { readDeployed, type ActionTarget, type Deployed, type Version } from '../core/index.ts';
import type { RememberedChange } from '../core/plan/machine-memory.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';
import { versionOf } from './quarantine.ts';
import { endFailedRestart } from './restart-requests.ts';
import { targetIn } from './target.ts';

/** The deployed version of a target, and the one before it. */
export interface DeployedRecord {
  readonly moduleId: string;
  readonly deployed: Deployed;
  readonly previous: Version | undefined;
  /** The version that failed last, if none was reported as deployed since. */
  readonly failed: Version | undefined;
}

/** By the key of the target. */
export function deployedIn(sql: Statements): Map<string, DeployedRecord> {
  const rows = sql.all(
    'SELECT kind, name, module_id, is_known, text, previous, failed FROM deployed',
  );
  return new Map(
    rows.map((row) => {
      const key = keyOf(targetIn(row));
      const text = textOf(row['text']) ?? null;
      const deployed = readDeployed(row['is_known'] === 1 ? text : undefined);
      const previous = versionOf(textOf(row['previous']));
      const failed = versionOf(textOf(row['failed']));
      return [key, { moduleId: String(row['module_id']), deployed, previous, failed }];
    }),
  );
}

/** The record that was written last, if it has a version. Where nothing is deployed, nothing can be the cause (D85). */
export function lastChangeIn(sql: Statements): RememberedChange | undefined {
  const row = sql.get(
    'SELECT kind, name, module_id, text, is_known, since FROM deployed WHERE text IS NOT NULL OR is_known = 0 ORDER BY since DESC LIMIT 1',
  );
  const version = row && row['is_known'] === 1 ? textOf(row['text']) : undefined;
  if (!row || version === undefined) return undefined;
  return { target: targetIn(row), version, at: Number(row['since']) };
}

/**
 * Records the deployed version: `null` if nothing is deployed, undefined if that is not known. An unknown version keeps
 * the last one, which becomes the previous one later. `failed` is a version that failed: it is not the last one. It is
 * remembered until a deployed version is reported, unless the one before it is deployed again (D37).
 */
export function noteDeployed(
  sql: Statements,
  target: ActionTarget,
  deployed: string | null | undefined,
  { at, failed }: { readonly at: number; readonly failed?: string | undefined },
): void {
  const row = sql.get(SELECT, target.kind, target.name);
  const isSameModule = row?.['module_id'] === moduleOf(target);
  const before = isSameModule ? textOf(row['text']) : undefined;
  const older = isSameModule ? textOf(row['previous']) : undefined;
  const failedBefore = isSameModule ? textOf(row['failed']) : undefined;
  const kept = failed === undefined ? before : undefined;
  const text = deployed === undefined ? kept : deployed;
  const hasRecovered =
    typeof deployed === 'string' && (failed === undefined || deployed === before);
  const isOther = before !== undefined && before !== text && before !== failed;
  const previous = isOther ? before : older;
  // A version that failed and was replaced cannot become the previous one, but its restart is over, too (D485).
  if (before !== undefined && before !== text) endFailedRestart(sql, target);
  // When this version became the deployed one (D85).
  const since = before !== undefined && text === before ? Number(row?.['since']) : at;
  sql.run(
    WRITE,
    target.kind,
    target.name,
    moduleOf(target),
    deployed === undefined ? 0 : 1,
    text ?? null,
    previous === undefined || previous === text ? null : previous,
    (hasRecovered ? undefined : (failed ?? failedBefore)) ?? null,
    since,
  );
}

/** Forgets what is known of a target. */
export function forgetDeployed(sql: Statements, { kind, name }: ActionTarget): void {
  sql.run('DELETE FROM deployed WHERE kind = ? AND name = ?', kind, name);
}

const SELECT =
  'SELECT module_id, text, previous, failed, since FROM deployed WHERE kind = ? AND name = ?';
const WRITE = `
  INSERT INTO deployed (kind, name, module_id, is_known, text, previous, failed, since)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    module_id = excluded.module_id, is_known = excluded.is_known, text = excluded.text,
    previous = excluded.previous, failed = excluded.failed, since = excluded.since`;
