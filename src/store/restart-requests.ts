import type { ActionTarget } from '../core/index.ts';
import type { RestartRequest } from '../core/decision/restart-request.ts';
import type { RememberedRequest } from '../core/plan/machine-memory.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';
import { forgetRequester, noteRequester, type RequesterOf } from './requesters.ts';
import { targetIn } from './target.ts';

/** A request, and the module that the entry had. */
export interface StoredRequest extends RememberedRequest {
  readonly moduleId: string;
}

/** The last request of each target, by its key (D41). */
export function restartRequestsIn(
  sql: Statements,
  requesterOf: RequesterOf,
): Map<string, StoredRequest> {
  return new Map(
    sql.all('SELECT * FROM restart_requests').map((row): [string, StoredRequest] => {
      const subject = keyOf(targetIn(row));
      const requestedAt = Number(row['requested_at']);
      const requester = requesterOf({ request: 'restart', subject, at: requestedAt });
      const request = { requestedAt, isImmediate: row['is_immediate'] === 1, requester };
      const moduleId = String(row['module_id']);
      return [subject, { moduleId, request, failure: textOf(row['failure']) }];
    }),
  );
}

export function requestRestart(
  sql: Statements,
  target: ActionTarget,
  { requestedAt, isImmediate, requester }: RestartRequest,
): void {
  sql.run(WRITE, target.kind, target.name, moduleOf(target), requestedAt, isImmediate ? 1 : 0);
  const requested = { request: 'restart', subject: keyOf(target), at: requestedAt } as const;
  noteRequester(sql, requested, requester);
}

export function cancelRestart(sql: Statements, { kind, name }: ActionTarget): boolean {
  const isCancelled = Number(sql.run(CANCEL, kind, name).changes) > 0;
  if (isCancelled) forgetRequester(sql, { request: 'restart', subject: keyOf({ kind, name }) });
  return isCancelled;
}

/** Ends the request of a target that was restarted, or whose restart failed because of `failure`. */
export function endRequest(
  sql: Statements,
  target: ActionTarget,
  failure: string | undefined,
): void {
  const { kind, name } = target;
  if (failure !== undefined) {
    sql.run(FAIL, failure, kind, name, moduleOf(target));
    return;
  }
  sql.run(END, kind, name, moduleOf(target));
  forgetRequester(sql, { request: 'restart', subject: keyOf(target) });
}

/** Ends the request of a target whose restart failed: another version is deployed since, or it works (D485). */
export function endFailedRestart(sql: Statements, { kind, name }: ActionTarget): void {
  const { changes } = sql.run(END_FAILED, kind, name);
  if (Number(changes) > 0)
    forgetRequester(sql, { request: 'restart', subject: keyOf({ kind, name }) });
}

const WRITE = `
  INSERT INTO restart_requests (kind, name, module_id, requested_at, is_immediate)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    module_id = excluded.module_id, requested_at = excluded.requested_at,
    is_immediate = excluded.is_immediate, failure = NULL`;
const CANCEL = `
  DELETE FROM restart_requests WHERE kind = ? AND name = ? AND failure IS NULL AND NOT EXISTS (
    SELECT 1 FROM actions WHERE actions.kind = restart_requests.kind
      AND actions.name = restart_requests.name AND state = 'delivered'
      AND content ->> '$.direction' = 'restart')`;
const END = 'DELETE FROM restart_requests WHERE kind = ? AND name = ? AND module_id = ?';
const END_FAILED =
  'DELETE FROM restart_requests WHERE kind = ? AND name = ? AND failure IS NOT NULL';
const FAIL = `
  UPDATE restart_requests SET failure = ? WHERE kind = ? AND name = ? AND module_id = ?`;
