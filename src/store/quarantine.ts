import { parseVersion, type ModuleId, type Version } from '../core/index.ts';
import type { QuarantineEntry } from '../core/plan/machine-memory.ts';
import type { Row, Statements } from '../sqlite/statements.ts';
import { jsonIn, numberOf, textOf } from './columns.ts';
import { isText, listOf } from './shape.ts';

export function quarantineIn(sql: Statements): QuarantineEntry[] {
  return sql
    .all('SELECT * FROM quarantine ORDER BY module_id, since, version')
    .map((row) => entryOf(row, sql));
}

function entryOf(row: Row, sql: Statements): QuarantineEntry {
  const version = String(row['version']);
  const isRollback = row['is_rollback'] === 1;
  const from = isRollback ? versionOf(version) : undefined;
  const refused = textOf(row['refused']);
  return {
    moduleId: String(row['module_id']) as ModuleId,
    version,
    digest: textOf(row['digest']),
    since: Number(row['since']),
    until: numberOf(row['until']),
    reason: String(row['reason']),
    rolledBack: from && {
      from,
      to: versionOf(textOf(row['rolled_back_to'])),
      refused: refused === undefined ? undefined : new Set(jsonIn(refused, sql, areTexts)),
    },
  };
}

const shape = listOf(isText);

function areTexts(value: unknown): value is string[] {
  return shape(value);
}

export function versionOf(text: string | undefined): Version | undefined {
  if (text === undefined) return undefined;
  const version = parseVersion(text);
  return version.ok ? version.value : undefined;
}

/** Puts a version into quarantine. If it was in quarantine, its term starts again. */
export function quarantine(sql: Statements, entry: QuarantineEntry): void {
  const { moduleId, version, digest = null, since, until = null, reason, rolledBack } = entry;
  sql.run(
    WRITE,
    moduleId,
    version,
    digest,
    since,
    until,
    reason,
    rolledBack ? 1 : 0,
    rolledBack?.to?.text ?? null,
    rolledBack?.refused ? JSON.stringify([...rolledBack.refused]) : null,
  );
}

const WRITE = `
  INSERT INTO quarantine
    (module_id, version, digest, since, until, reason, is_rollback, rolled_back_to, refused)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    digest = excluded.digest, since = excluded.since, until = excluded.until,
    reason = excluded.reason, is_rollback = excluded.is_rollback,
    rolled_back_to = excluded.rolled_back_to, refused = excluded.refused`;

/** Ends a quarantine. Returns whether the version was in quarantine. */
export function lift(sql: Statements, moduleId: ModuleId, version: string): boolean {
  const { changes } = sql.run(
    'DELETE FROM quarantine WHERE module_id = ? AND version = ?',
    moduleId,
    version,
  );
  return Number(changes) > 0;
}
