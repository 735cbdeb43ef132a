import type { Requester } from '../core/decision/restart-request.ts';
import type { Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';

/** What a person or a site requested: at most one request of each kind about a subject counts. */
interface Requested {
  readonly request: 'restart' | 'rollback';
  /** The target, or the module and its version. */
  readonly subject: string;
  /** When, in milliseconds since the epoch: another request about the same has another time. */
  readonly at: number;
}

/** Who made a request; undefined if that is not known. */
export type RequesterOf = (requested: Requested) => Requester | undefined;

/** Who made the requests in the file (D424). */
export function requestersIn(sql: Statements): RequesterOf {
  const rows = sql.all('SELECT request, subject, at, requested_by, reason FROM requesters');
  const known = new Map(
    rows.map((row): [string, Requester] => [
      keyOf({
        request: row['request'] === 'restart' ? 'restart' : 'rollback',
        subject: String(row['subject']),
        at: Number(row['at']),
      }),
      { by: String(row['requested_by']), because: textOf(row['reason']) },
    ]),
  );
  return (requested) => known.get(keyOf(requested));
}

function keyOf({ request, subject, at }: Requested): string {
  return `${request} ${at} ${subject}`;
}

/** Records who made a request, in place of the one before it. */
export function noteRequester(
  sql: Statements,
  { request, subject, at }: Requested,
  requester: Requester | undefined,
): void {
  forgetRequester(sql, { request, subject });
  if (!requester) return;
  const { by, because = null } = requester;
  sql.run(WRITE, request, subject, at, by, because);
}

const WRITE =
  'INSERT INTO requesters (request, subject, at, requested_by, reason) VALUES (?, ?, ?, ?, ?)';

/** Forgets who made a request that has ended. */
export function forgetRequester(
  sql: Statements,
  { request, subject }: Omit<Requested, 'at'>,
): void {
  sql.run('DELETE FROM requesters WHERE request = ? AND subject = ?', request, subject);
}
