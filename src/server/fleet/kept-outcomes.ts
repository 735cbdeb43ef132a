import type { MachineReport, ReportedOutcome } from '../../registry/machine-report.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';

/** The newest outcomes of a machine are kept: its queue has no more either (T250). */
const MOST_KEPT = 10_000;

type Kept = Pick<MachineReport, 'queue' | 'outcomes'> & {
  readonly at: number;
  /** The registry has the outcomes of the queue up to this number. */
  readonly knownTo: number;
};

/**
 * Adds outcomes of a machine, and deletes its oldest above MOST_KEPT. One that the file has already, also of another queue, is not counted
 * again (T561). Returns whether one has the number of another outcome of its queue: the queue is then an older copy of itself (T562).
 */
export function keepOutcomes(sql: Statements, machine: number, report: Kept): boolean {
  const { queue, outcomes, at, knownTo } = report;
  if (outcomes.length === 0) return false;
  const known = knownElsewhere(sql, machine, queue);
  let isOlderCopy = false;
  for (const one of outcomes) {
    const { number, ...outcome } = one;
    const { module_id: moduleId, to, result } = outcome;
    const isFresh = number > knownTo && !known.has(identityOf(one));
    const content = JSON.stringify(outcome);
    const isKept =
      isFresh &&
      sql.run(INSERT, machine, queue, number, at, moduleId, to, result, content).changes > 0;
    isOlderCopy ||= !isKept && isOfAnother(sql, [machine, queue, number], one);
  }
  // Triggers count what is kept.
  const row = sql.get('SELECT outcomes FROM machines WHERE id = ?', machine);
  const tooMany = Number(row?.['outcomes']) - MOST_KEPT;
  if (tooMany > 0) sql.run(DELETE_OLDEST, machine, tooMany);
  return isOlderCopy;
}

/** A machine that goes back to an older image uses the id of an action again, and never at the same time. */
function identityOf({ action, at }: Pick<ReportedOutcome, 'action' | 'at'>): string {
  return `${action} ${at}`;
}

/** What the file has of other queues of the machine. Most have none, so these are looked up on both sides of the queue. */
function knownElsewhere(sql: Statements, machine: number, queue: string): ReadonlySet<string> {
  const rows = sql.all(ELSEWHERE, machine, queue);
  return new Set(rows.map(({ content }) => identityOf(Object(storedJson(content)))));
}

function isOfAnother(
  sql: Statements,
  key: readonly [number, string, number],
  outcome: ReportedOutcome,
): boolean {
  const row = sql.get(SELECT, ...key);
  return (
    row !== undefined && identityOf(Object(storedJson(row['content']))) !== identityOf(outcome)
  );
}

const ELSEWHERE = `SELECT content FROM outcomes WHERE machine = ?1 AND queue < ?2
  UNION ALL SELECT content FROM outcomes WHERE machine = ?1 AND queue > ?2`;
const SELECT = 'SELECT content FROM outcomes WHERE machine = ? AND queue = ? AND number = ?';
/** A machine may return to an earlier queue, whose numbers begin again (T247). */
const INSERT = `INSERT INTO outcomes (machine, queue, number, received_at, module_id, version, result, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const DELETE_OLDEST = `DELETE FROM outcomes WHERE (machine, queue, number) IN
  (SELECT machine, queue, number FROM outcomes WHERE machine = ? ORDER BY received_at, queue, number LIMIT ?)`;
