import type { RecordedHold } from '../core/decision/operator-hold.ts';
import type { Row, Statements } from '../sqlite/statements.ts';
import { numberOf } from './columns.ts';

type HeldName = RecordedHold['of'];

/** The holds of operators, in the order in which they were set (D75). */
export function operatorHoldsIn(sql: Statements): RecordedHold[] {
  return sql.all('SELECT * FROM operator_holds ORDER BY since, kind, name').map(holdOf);
}

function holdOf(row: Row): RecordedHold {
  const kind = row['kind'] === 'module' || row['kind'] === 'subsystem' ? row['kind'] : 'machine';
  return {
    of: { kind, name: String(row['name']) },
    by: String(row['set_by']),
    because: String(row['reason']),
    since: Number(row['since']),
    endsAt: numberOf(row['ends_at']),
    longestMs: Number(row['longest_ms']),
    elapsedMs: Number(row['elapsed_ms']),
    countedAt: numberOf(row['counted_at']),
  };
}

/** Sets a hold, in place of the one that its target or the machine has. */
export function setHold(sql: Statements, hold: RecordedHold): void {
  const { of, by, because, since, endsAt = null, longestMs, elapsedMs, countedAt = null } = hold;
  const { kind, name } = of;
  sql.run(WRITE, kind, name, by, because, since, endsAt, longestMs, elapsedMs, countedAt);
}

/** Ends a hold, if it is the one that began at `since`. Returns whether there was one. */
export function endHold(
  sql: Statements,
  { kind, name }: HeldName,
  since: number | undefined,
): boolean {
  return Number(sql.run(END, kind, name, since ?? null).changes) > 0;
}

/** Writes the elapsed time of a hold, unless an operator has set another one meanwhile. */
export function countHold(
  sql: Statements,
  { of: { kind, name }, since }: RecordedHold,
  { elapsedMs, countedAt }: Pick<RecordedHold, 'elapsedMs' | 'countedAt'>,
): void {
  sql.run(COUNT, elapsedMs, countedAt ?? null, kind, name, since);
}

const WRITE = `
  INSERT OR REPLACE INTO operator_holds
    (kind, name, set_by, reason, since, ends_at, longest_ms, elapsed_ms, counted_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const END = 'DELETE FROM operator_holds WHERE kind = ? AND name = ? AND since = coalesce(?, since)';
const COUNT = `
  UPDATE operator_holds SET elapsed_ms = ?, counted_at = ?
  WHERE kind = ? AND name = ? AND since = ?`;
