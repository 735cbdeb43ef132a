import { parseVersion, type ModuleId, type Version } from '../core/index.ts';
import type { FailedEntry, QuarantineEntry } from '../core/plan/machine-memory.ts';
import { refusedBranch } from '../core/releases/quarantine.ts';
import type { Row, Statements } from '../sqlite/statements.ts';
import { jsonIn } from '../sqlite/stored-value.ts';
import { numberOf, textOf } from './columns.ts';
import {
  failedEntriesIn,
  forgetFailedEntries,
  identityOf,
  noteFailedEntries,
} from './failed-entries.ts';
import { forgetFailedSetups, hasFailedSetups, noteFailedSetup } from './failed-setups.ts';
import { forgetRequester, noteRequester, requestersIn, type RequesterOf } from './requesters.ts';
import { isText, listOf } from './shape.ts';

/** In `is_rollback`: an operator refused it, and it did not fail. Programs that do not know it read no rollback, as it is. */
const BY_OPERATOR = 2;

export function quarantineIn(sql: Statements, requesterOf: RequesterOf): QuarantineEntry[] {
  const failed = failedEntriesIn(sql);
  return sql
    .all('SELECT * FROM quarantine ORDER BY module_id, since, version')
    .map((row) => entryOf(row, sql, { failed, requesterOf }));
}

function entryOf(
  row: Row,
  sql: Statements,
  {
    failed,
    requesterOf,
  }: { readonly failed: ReturnType<typeof failedEntriesIn>; readonly requesterOf: RequesterOf },
): QuarantineEntry {
  const version = String(row['version']);
  const isRollback = row['is_rollback'] === 1;
  const from = isRollback ? versionOf(version) : undefined;
  const [moduleId, since] = [String(row['module_id']) as ModuleId, Number(row['since'])];
  const isFailure = row['is_rollback'] === 0;
  return {
    moduleId,
    version,
    branch: refusedBranch(version),
    entries: isFailure ? failed.get(identityOf(moduleId, version, since)) : undefined,
    digest: textOf(row['digest']),
    since,
    until: numberOf(row['until']),
    reason: String(row['reason']),
    byOperator: row['is_rollback'] === BY_OPERATOR ? true : undefined,
    rolledBack: from && {
      from,
      to: versionOf(textOf(row['rolled_back_to'])),
      requester: requesterOf({ request: 'rollback', subject: `${moduleId} ${version}`, at: since }),
      refused: row['refused'] === null ? undefined : new Set(jsonIn(row, REFUSED, sql, areTexts)),
    },
  };
}

const REFUSED = { table: 'quarantine', key: 'version', column: 'refused' } as const;

const shape = listOf(isText);

function areTexts(value: unknown): value is string[] {
  return shape(value);
}

export function versionOf(text: string | undefined): Version | undefined {
  if (text === undefined) return undefined;
  const version = parseVersion(text);
  return version.ok ? version.value : undefined;
}

/** Puts a version into quarantine for an operator. If it was in quarantine, its term starts again, and no edit ends it (D82). */
export function quarantine(sql: Statements, entry: QuarantineEntry): void {
  write(sql, entry);
  forgetFailedSetups(sql, entry);
}

function write(sql: Statements, entry: QuarantineEntry): void {
  const { moduleId, version, digest = null, since, until = null, reason, rolledBack } = entry;
  const byOperator = entry.byOperator ? BY_OPERATOR : 0;
  sql.run(
    WRITE,
    moduleId,
    version,
    digest,
    since,
    until,
    reason,
    rolledBack ? 1 : byOperator,
    rolledBack?.to?.text ?? null,
    rolledBack?.refused ? JSON.stringify([...rolledBack.refused]) : null,
  );
  noteFailedEntries(sql, entry, entry.entries ?? []);
  const rollback = { request: 'rollback', subject: `${moduleId} ${version}`, at: since } as const;
  noteRequester(sql, rollback, rolledBack?.requester);
}

const WRITE = `
  INSERT INTO quarantine
    (module_id, version, digest, since, until, reason, is_rollback, rolled_back_to, refused)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    digest = excluded.digest, since = excluded.since, until = excluded.until,
    reason = excluded.reason, is_rollback = excluded.is_rollback,
    rolled_back_to = excluded.rolled_back_to, refused = excluded.refused`;

/**
 * Puts a version into quarantine for an operator. A rollback from it that has not ended stays, and is returned: a quarantine
 * in its place would end it for the other versions that it refuses (D32).
 */
export function refuse(sql: Statements, entry: QuarantineEntry): QuarantineEntry | undefined {
  const before = inForce(sql, entry);
  if (before?.rolledBack) return before;
  quarantine(sql, { ...entry, byOperator: true });
  return undefined;
}

/**
 * Puts a version that failed into quarantine. What an operator refused stays refused, for as long and for each file (D13),
 * and however an entry is edited; so does what failed before this was recorded (D82). `setup` is what of the configuration
 * reached the program; undefined if that is not known.
 */
export function refuseFailed(
  sql: Statements,
  entry: QuarantineEntry,
  failed: FailedEntry,
  setup: string | undefined,
): void {
  const before = inForce(sql, entry);
  if (before?.rolledBack) return;
  // What is refused in all entries stays so, and is not suspended (D80, D81).
  const isForAll = before !== undefined && !before.entries;
  if (isForAll && failed.state !== 'failed') return;
  const isLonger = before && (before.until ?? Infinity) > (entry.until ?? Infinity);
  const { until, reason } = isLonger ? before : entry;
  const digest = before && before.digest === undefined ? undefined : entry.digest;
  const others = before?.entries?.filter(({ key }) => key !== failed.key) ?? [];
  const entries = isForAll ? undefined : [...others, failed];
  if (!before) forgetFailedSetups(sql, entry);
  write(sql, { ...entry, digest, until, reason, entries });
  const isNoted = !before || hasFailedSetups(sql, entry);
  if (setup !== undefined && isNoted) noteFailedSetup(sql, entry, { entry: failed.key, setup });
}

/** The quarantine of the version of `entry` that has not ended when `entry` begins. */
export function inForce(
  sql: Statements,
  { moduleId, version, since }: QuarantineEntry,
): QuarantineEntry | undefined {
  const row = sql.get(
    'SELECT * FROM quarantine WHERE module_id = ? AND version = ?',
    moduleId,
    version,
  );
  const entry =
    row && entryOf(row, sql, { failed: failedEntriesIn(sql), requesterOf: requestersIn(sql) });
  return entry && since < (entry.until ?? Infinity) ? entry : undefined;
}

/** Ends a quarantine. Returns whether the version was in quarantine. */
export function lift(sql: Statements, moduleId: ModuleId, version: string): boolean {
  const { changes } = sql.run(
    'DELETE FROM quarantine WHERE module_id = ? AND version = ?',
    moduleId,
    version,
  );
  forgetFailedEntries(sql, moduleId, version);
  forgetRequester(sql, { request: 'rollback', subject: `${moduleId} ${version}` });
  return Number(changes) > 0;
}
