import type { ActionTarget } from '../core/index.ts';
import type {
  ActionOutcome,
  CommittedAction,
  NewAction,
  OpenAction,
} from '../core/plan/committed-action.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { jsonIn } from '../sqlite/stored-value.ts';
import { isAction } from './action-shape.ts';
import { textOf } from './columns.ts';
import { targetIn } from './target.ts';

/** How many settled actions are kept, for late acknowledgements. */
const KEPT = 1000;
/** The most restarts that an update policy can count. */
const COUNTED_RESTARTS = 1440;

/** The row number of an action; undefined if its id is not one of this file. */
export function actionNumber(sql: Statements, id: string): number | undefined {
  const prefix = `${fileOf(sql)}-`;
  const number = id.slice(prefix.length);
  const isOurs = id.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(number);
  return isOurs ? Number(number) : undefined;
}

/** The identity of the file. */
function fileOf(sql: Statements): string {
  return String(sql.get('SELECT file FROM identity')?.['file']);
}

/** The open actions. Those that were open `before` are not parsed again, because the content of an action never changes. */
export function openActions(sql: Statements, before: readonly OpenAction[] = []): OpenAction[] {
  const file = fileOf(sql);
  const known = new Map(before.map(({ action }) => [action.id, action]));
  return sql.all(SELECT_OPEN).map((row): OpenAction => {
    const id = `${file}-${Number(row['number'])}`;
    return {
      action: known.get(id) ?? { ...jsonIn(row, CONTENT, sql, isAction), id },
      state: row['state'] === 'delivered' ? 'delivered' : 'waiting',
      notBefore: Number(row['not_before']),
      deliveries: Number(row['deliveries']),
      failures: Number(row['failures']),
      lastFailure: textOf(row['outcome']),
    };
  });
}

const CONTENT = { table: 'actions', key: 'number', column: 'content' } as const;

export function insertAction(sql: Statements, action: NewAction): CommittedAction {
  const { target, decidedAt } = action;
  const { lastInsertRowid } = sql.run(
    INSERT,
    target.kind,
    target.name,
    moduleOf(target),
    JSON.stringify(action),
    decidedAt,
  );
  sql.run(PRUNE, KEPT);
  return { ...action, id: `${fileOf(sql)}-${lastInsertRowid}` };
}

/** Ends an action that waits for its delivery. */
export function supersede(sql: Statements, number: number, at: number): void {
  sql.run(END, 'superseded', at, number, 'waiting');
}

/** Makes a delivered action wait again. What was delivered was not begun, so it does not count as a restart. */
export function takeBack(sql: Statements, id: string, at: number): void {
  const number = actionNumber(sql, id);
  if (number === undefined) return;
  const { changes } = sql.run(END, 'waiting', at, number, 'delivered');
  if (Number(changes) > 0) sql.run('DELETE FROM restarts WHERE action = ?', number);
}

/** Ends an action that was delivered and not acknowledged. Returns false for any other action. */
export function withdraw(sql: Statements, number: number, at: number): boolean {
  return Number(sql.run(END, 'withdrawn', at, number, 'delivered').changes) > 0;
}

/**
 * Records a delivery; false if the action is not open. The last delivery of an action counts as its restart (I15), unless an
 * operator requested it (D41).
 */
export function markDelivered(sql: Statements, number: number, at: number): boolean {
  const row = sql.get(SELECT_DELIVERABLE, number);
  if (!row) return false;
  sql.run(DELIVER, at, number);
  const { kind, name } = targetIn(row);
  if (row['direction'] === 'restart') return true;
  sql.run(RESTART, number, kind, name, at);
  sql.run(PRUNE_RESTARTS, kind, name, COUNTED_RESTARTS);
  return true;
}

/** An action that can be acknowledged, and whether it was withdrawn. */
export interface Acknowledgeable {
  readonly action: NewAction;
  readonly isWithdrawn: boolean;
}

export function acknowledgeable(sql: Statements, number: number): Acknowledgeable | undefined {
  const row = sql.get(SELECT_ACKNOWLEDGEABLE, number);
  if (!row) return undefined;
  const isWithdrawn = row['state'] === 'withdrawn';
  return { action: jsonIn(row, CONTENT, sql, isAction), isWithdrawn };
}

/** The id of the delivered action that deploys this version; undefined if there is none. */
export function deliveredAction(
  sql: Statements,
  target: ActionTarget,
  version: string,
): string | undefined {
  const row = sql.get(`${SELECT_DEPLOYING} AND state = 'delivered'`, ...deploying(target, version));
  return row && `${fileOf(sql)}-${Number(row['number'])}`;
}

/** The digest of the file of this version that was delivered last; undefined if it is not known. */
export function deliveredDigest(
  sql: Statements,
  target: ActionTarget,
  version: string,
): string | undefined {
  const last = `${SELECT_DEPLOYING} AND deliveries > 0 ORDER BY number DESC LIMIT 1`;
  return textOf(sql.get(last, ...deploying(target, version))?.['digest']);
}

/** The file of the action that deployed this version last; undefined if no action that the file still has did. */
export function deployingArtifact(
  sql: Statements,
  target: ActionTarget,
  version: string,
): Pick<NewAction, 'artifact'> | undefined {
  const row = sql.get(SELECT_DEPLOYED, ...deploying(target, version));
  return row && jsonIn(row, CONTENT, sql, isAction);
}

function deploying(target: ActionTarget, version: string): string[] {
  return [target.kind, target.name, moduleOf(target), version];
}

/** Records the outcome of an action. One that failed because of the machine waits until `retryAt`, if there is one. */
export function settle(
  sql: Statements,
  number: number,
  outcome: ActionOutcome,
  { at, retryAt }: { readonly at: number; readonly retryAt: number | undefined },
): void {
  const reason = outcome.kind === 'failed' ? outcome.reason : null;
  const isMachines = outcome.kind === 'failed' && outcome.blame === 'machine';
  const isUnbegun = outcome.kind === 'failed' && outcome.restarted === false;
  // The machine failed before the restart, or the release did.
  if (isMachines || isUnbegun) sql.run('DELETE FROM restarts WHERE action = ?', number);
  if (isMachines && retryAt !== undefined) sql.run(RETRY, retryAt, at, reason, number);
  else sql.run(SETTLE, outcome.kind, at, reason, number);
  if (outcome.kind === 'failed' && outcome.blame === 'undecided') sql.run(UNDECIDED, number);
}

/** An action that has ended after it was delivered. */
export interface SettledAction {
  readonly action: CommittedAction;
  readonly result: 'done' | 'failed' | 'withdrawn';
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** Why it failed, as reported; undefined if it did not. */
  readonly reason: string | undefined;
  /** Whether the version before it failed in the same way (D80). */
  readonly isUndecided: boolean;
}

/** The settled actions that the file still has, without those whose ids are `known`, in the order of their commit. */
export function settledActions(sql: Statements, known: ReadonlySet<string>): SettledAction[] {
  const file = fileOf(sql);
  const numbers = sql.all(SELECT_SETTLED).map((row) => Number(row['number']));
  return numbers
    .filter((number) => !known.has(`${file}-${number}`))
    .flatMap((number) => {
      const row = sql.get(SELECT_ONE, number) ?? {};
      const result = row['state'];
      if (result !== 'done' && result !== 'failed' && result !== 'withdrawn') return [];
      const action = { ...jsonIn(row, CONTENT, sql, isAction), id: `${file}-${number}` };
      const [at, reason] = [Number(row['changed_at']), textOf(row['outcome'])];
      return [{ action, result, at, reason, isUndecided: row['undecided'] === 1 }];
    });
}

const SELECT_ONE = `
  SELECT *, content ->> '$.isUndecided' AS undecided FROM actions WHERE number = ?`;
const UNDECIDED = `
  UPDATE actions SET content = json_set(content, '$.isUndecided', json('true')) WHERE number = ?`;
const SELECT_SETTLED = `
  SELECT number FROM actions WHERE state IN ('done', 'failed', 'withdrawn') ORDER BY number`;
const SELECT_OPEN = `
  SELECT number, content, state, not_before, deliveries, failures, outcome
  FROM actions WHERE state IN ('waiting', 'delivered') ORDER BY number`;
const INSERT = `
  INSERT INTO actions (kind, name, module_id, state, content, changed_at)
  VALUES (?, ?, ?, 'waiting', ?, ?)`;
const PRUNE = `
  DELETE FROM actions WHERE state NOT IN ('waiting', 'delivered')
    AND number <= (SELECT max(number) FROM actions) - ?`;
const END = 'UPDATE actions SET state = ?, changed_at = ? WHERE number = ? AND state = ?';
const SELECT_DELIVERABLE = `
  SELECT kind, name, content ->> '$.direction' AS direction FROM actions
  WHERE number = ? AND state IN ('waiting', 'delivered')`;
const DELIVER = `
  UPDATE actions SET state = 'delivered', deliveries = deliveries + 1, changed_at = ?
  WHERE number = ?`;
const RESTART = `
  INSERT INTO restarts (action, kind, name, at) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET kind = excluded.kind, name = excluded.name, at = excluded.at`;
const PRUNE_RESTARTS = `
  DELETE FROM restarts WHERE kind = ?1 AND name = ?2 AND action <= (
    SELECT action FROM restarts WHERE kind = ?1 AND name = ?2 ORDER BY action DESC LIMIT 1 OFFSET ?3
  )`;
const SELECT_ACKNOWLEDGEABLE = `
  SELECT number, content, state FROM actions WHERE number = ? AND state IN ('delivered', 'withdrawn')`;
const SELECT_DEPLOYING = `
  SELECT number, content ->> '$.artifact.digest' AS digest FROM actions
  WHERE kind = ? AND name = ? AND module_id = ? AND content ->> '$.to' = ?`;
/** A restart may be of a release whose file must not be downloaded now: its action has none then. */
const DEPLOYED = `state = 'done' AND content ->> '$.direction' <> 'restart'`;
const SELECT_DEPLOYED = `
  SELECT number, content FROM actions WHERE ${DEPLOYED}
    AND kind = ? AND name = ? AND module_id = ? AND content ->> '$.to' = ?
  ORDER BY number DESC
  LIMIT 1`;
const RETRY = `
  UPDATE actions
  SET state = 'waiting', failures = failures + 1, not_before = ?, changed_at = ?, outcome = ?
  WHERE number = ?`;
const SETTLE = 'UPDATE actions SET state = ?, changed_at = ?, outcome = ? WHERE number = ?';

interface StoredRestart {
  /** The key of the target. */
  readonly key: string;
  /** The id of the action that caused it. */
  readonly action: string;
  readonly at: number;
}

export function restartsIn(sql: Statements): StoredRestart[] {
  const file = fileOf(sql);
  return sql
    .all('SELECT action, kind, name, at FROM restarts ORDER BY action')
    .map((row) => ({
      key: keyOf(targetIn(row)),
      action: `${file}-${Number(row['action'])}`,
      at: Number(row['at']),
    }));
}
