import type { ActionTarget } from '../core/index.ts';
import type { UpgradeRequest } from '../core/decision/upgrade-request.ts';
import type { RequestedUpgrade } from '../core/plan/machine-memory.ts';
import { moduleOf, type TargetName } from '../core/plan/target.ts';
import type { Row, Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';
import { isText, listOf, objectOf, optional } from './shape.ts';
import { targetIn } from './target.ts';

/** The replacements at once that operators requested, in the order of their requests (D76). */
export function upgradeRequestsIn(sql: Statements): RequestedUpgrade[] {
  return sql
    .all('SELECT * FROM upgrade_requests ORDER BY requested_at, kind, name')
    .map((row) => ({
      target: targetIn(row),
      moduleId: String(row['module_id']),
      request: requestIn(row),
    }));
}

function requestIn(row: Row): UpgradeRequest {
  return {
    requestedAt: Number(row['requested_at']),
    by: String(row['requested_by']),
    because: textOf(row['reason']),
    from: textOf(row['from_version']),
    to: String(row['to_version']),
    despite: vetoesIn(String(row['despite'])),
  };
}

const areVetoes = listOf(objectOf({ by: isText, said: optional(isText) }));

/** Another program may have written the text: what it does not name holds. */
function vetoesIn(text: string): UpgradeRequest['despite'] {
  const vetoes: unknown = JSON.parse(text);
  // A cast: the shape was checked.
  return areVetoes(vetoes) ? (vetoes as UpgradeRequest['despite']) : [];
}

/** Records a request, in place of the one that its target has. */
export function requestUpgrade(
  sql: Statements,
  target: ActionTarget,
  request: UpgradeRequest,
): void {
  const { requestedAt, by, because = null, from = null, to, despite } = request;
  const { kind, name } = target;
  const vetoes = JSON.stringify(despite);
  sql.run(WRITE, kind, name, moduleOf(target), requestedAt, by, because, from, to, vetoes);
}

/** Ends the request of a target; with `requestedAt` only the one of that time. */
export function endUpgrade(
  sql: Statements,
  { kind, name }: TargetName,
  requestedAt?: number,
): void {
  sql.run(END, kind, name, requestedAt ?? null);
}

/** The targets whose lists an operator wants to be read now. */
export function roundRequestsIn(sql: Statements): TargetName[] {
  return sql.all('SELECT * FROM round_requests').map(targetIn);
}

export function requestRound(sql: Statements, { kind, name }: TargetName, at: number): void {
  sql.run(WRITE_ROUND, kind, name, at);
}

export function endRoundRequests(sql: Statements): void {
  sql.run('DELETE FROM round_requests');
}

const WRITE = `
  INSERT OR REPLACE INTO upgrade_requests
    (kind, name, module_id, requested_at, requested_by, reason, from_version, to_version, despite)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const END = `
  DELETE FROM upgrade_requests
  WHERE kind = ? AND name = ? AND requested_at = coalesce(?, requested_at)`;
const WRITE_ROUND =
  'INSERT OR REPLACE INTO round_requests (kind, name, requested_at) VALUES (?, ?, ?)';
