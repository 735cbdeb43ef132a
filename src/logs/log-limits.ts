import type { Statements } from '../sqlite/statements.ts';

export const MOST_RECORDS = 10_000;
/** Pages that are not full and the write-ahead log take up to 3 MiB more: a file and its log stay below 8 MiB. */
export const MOST_BYTES: number = 5 * 1024 * 1024;
/** What a record takes besides its text. */
export const OVERHEAD_BYTES = 64;
const LAST = Number.MAX_SAFE_INTEGER;

/** Keeps a log within its limits. */
export interface LogLimits {
  /** Counts a record that was added. */
  added(bytes: number): void;
  /** Drops records while there are too many. */
  trim(): void;
}

/** The limits of the log that `sql` writes. Nothing else may add or remove records. */
export function logLimits(sql: Statements): LogLimits {
  const row = sql.get('SELECT count(*) AS count, total(bytes) AS bytes FROM records');
  let count = Number(row?.['count']);
  let bytes = Number(row?.['bytes']);
  return {
    added(size) {
      count++;
      bytes += size;
    },
    trim() {
      while (count > MOST_RECORDS || bytes > MOST_BYTES) {
        const sizes = drop(sql, Math.max(1, count - MOST_RECORDS));
        count -= sizes.length;
        bytes -= sizes.reduce((sum, size) => sum + size, 0);
      }
    },
  };
}

/** Drops at most `most` records, at least one of them, and returns their sizes. */
function drop(sql: Statements, most: number): number[] {
  const sent = Number(sql.get('SELECT position FROM delivery')?.['position']);
  for (const { severity, isSent } of DROPPED_FIRST) {
    const rows = sql.all(
      `DELETE FROM records WHERE id IN (
        SELECT id FROM records WHERE severity = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?
      ) RETURNING at, bytes`,
      severity,
      isSent ? 0 : sent,
      isSent ? sent : LAST,
      most,
    );
    if (rows.length === 0) continue;
    noteDropped(sql, { count: rows.length, newestAt: Math.max(...rows.map(timeIn)), isSent });
    return rows.map((row) => Number(row['bytes']));
  }
  return [];
}

/** The order in which records are dropped: the least severe first, where one that was sent is a step less severe. */
const DROPPED_FIRST = [
  { severity: 0, isSent: true },
  { severity: 1, isSent: true },
  { severity: 0, isSent: false },
  { severity: 2, isSent: true },
  { severity: 1, isSent: false },
  { severity: 2, isSent: false },
];

function timeIn(row: Readonly<Record<string, unknown>>): number {
  return Number(row['at']);
}

function noteDropped(
  sql: Statements,
  what: { readonly count: number; readonly newestAt: number; readonly isSent: boolean },
): void {
  sql.run(
    `INSERT INTO dropped VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET
      count = count + excluded.count, newest_at = max(newest_at, excluded.newest_at)`,
    what.count,
    what.newestAt,
  );
  if (what.isSent) return;
  sql.run(
    'UPDATE delivery SET dropped = dropped + ?, dropped_at = max(dropped_at, ?)',
    what.count,
    what.newestAt,
  );
}
