import type { ActionTarget } from '../core/index.ts';
import type { FailedEntry } from '../core/plan/machine-memory.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';
import { noteProven } from './proven-versions.ts';
import { endFailedRestart } from './restart-requests.ts';
import { targetIn } from './target.ts';

/*
 * In which entries the releases in quarantine failed (D81). A program that does not know this table reads a quarantine of all entries,
 * which is in force. A row that such a program writes has a later `since`, and then no entries.
 */

/** A deployed version that has worked for some time. */
export interface Working {
  readonly version: string;
  /** Whether it has worked for an hour. */
  readonly isProven: boolean;
}

/** @internal By `identityOf` of the quarantine. */
export function failedEntriesIn(sql: Statements): ReadonlyMap<string, readonly FailedEntry[]> {
  const rows = sql.all(SELECT).map((row) => {
    const { module_id: moduleId, version, since } = row;
    const entry: FailedEntry = {
      key: keyOf(targetIn(row)),
      name: String(row['name']),
      state: stateIn(row['state']),
      sameAs: textOf(row['same_as']),
      ...(row['is_in_use'] === 1 && { isInUse: true }),
    };
    return { identity: `${String(moduleId)} ${String(version)} ${Number(since)}`, entry };
  });
  const groups = Map.groupBy(rows, ({ identity }) => identity);
  return new Map(
    Array.from(groups, ([identity, group]) => [identity, group.map(({ entry }) => entry)]),
  );
}

/** The quarantine that entries belong to: one of a later time is another one. */
export function identityOf(moduleId: string, version: string, since: number): string {
  return `${moduleId} ${version} ${since}`;
}

const STATES = ['failed-again', 'waiting', 'may-be-tried', 'kept'] as const;

/** What is not known counts as a failure. */
function stateIn(value: unknown): FailedEntry['state'] {
  return STATES.find((state) => state === value) ?? 'failed';
}

/** @internal Records in which entries a release failed, in place of what was recorded. */
export function noteFailedEntries(
  sql: Statements,
  { moduleId, version, since }: { moduleId: string; version: string; since: number },
  entries: readonly FailedEntry[],
): void {
  forgetFailedEntries(sql, moduleId, version);
  for (const { key, name, state, sameAs = null } of entries) {
    const kind = key.slice(0, key.length - name.length - 1);
    sql.run(INSERT, moduleId, version, kind, name, since, state, sameAs);
  }
}

/** @internal */
export function forgetFailedEntries(sql: Statements, moduleId: string, version: string): void {
  sql.run('DELETE FROM failed_entries WHERE module_id = ? AND version = ?', moduleId, version);
}

/**
 * @internal The failure of a release is undecided, because `sameAs` fails in the same way. One that failed again stays blamed, unless
 * it is the one that is started again and again.
 */
export function suspend(
  sql: Statements,
  target: ActionTarget,
  { version, sameAs, state }: { version: string; sameAs: string; state: FailedEntry['state'] },
): void {
  const { kind, name } = target;
  sql.run(SUSPEND, state, sameAs, moduleOf(target), version, kind, name, state);
}

/**
 * @internal The deployed version of a target works: what is undecided there may be tried again. If it is proven, its own failure was that of
 * something else, and its quarantine ends (D80).
 */
export function noteWorking(
  sql: Statements,
  target: ActionTarget,
  { version, isProven }: Working,
): void {
  const [moduleId, { kind, name }] = [moduleOf(target), target];
  sql.run(MAY_BE_TRIED, moduleId, kind, name);
  endFailedRestart(sql, target);
  if (!isProven) return;
  noteProven(sql, target, version);
  const { changes } = sql.run(FORGET_SUSPENDED, moduleId, version, kind, name);
  const others = sql.get(
    'SELECT 1 FROM failed_entries WHERE module_id = ? AND version = ?',
    moduleId,
    version,
  );
  // Without entries, it would be in force for all.
  if (Number(changes) === 0 || others) return;
  sql.run('DELETE FROM quarantine WHERE module_id = ? AND version = ?', moduleId, version);
}

/** @internal An entry is renamed: what is undecided under its earlier name is so under the one that it has now (D105). */
export function inheritFailures(sql: Statements, target: ActionTarget, earlier: string): void {
  const { kind, name } = target;
  sql.run(INHERIT, name, moduleOf(target), kind, earlier);
}

const SELECT = `
  SELECT failed_entries.*, EXISTS (
    SELECT 1 FROM deployed
    WHERE deployed.kind = failed_entries.kind AND deployed.name = failed_entries.name AND is_known = 1
      AND deployed.module_id = failed_entries.module_id AND text = version
  ) AS is_in_use
  FROM failed_entries ORDER BY kind, name`;
const INSERT = `
  INSERT INTO failed_entries (module_id, version, kind, name, since, state, same_as)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const SUSPEND = `
  UPDATE failed_entries SET state = ?, same_as = ?
  WHERE module_id = ? AND version = ? AND kind = ? AND name = ?
    AND (state <> 'failed-again' OR ? = 'kept')`;
const MAY_BE_TRIED = `
  UPDATE failed_entries SET state = 'may-be-tried'
  WHERE module_id = ? AND kind = ? AND name = ? AND state = 'waiting'`;
const FORGET_SUSPENDED = `
  DELETE FROM failed_entries
  WHERE module_id = ? AND version = ? AND kind = ? AND name = ? AND state NOT IN ('failed', 'failed-again')`;
const INHERIT = `
  UPDATE OR IGNORE failed_entries SET name = ?
  WHERE module_id = ? AND kind = ? AND name = ? AND state NOT IN ('failed', 'failed-again')`;
