import type { Statements } from '../sqlite/statements.ts';

const KEPT_STARTS = 10;

/** Records the start of a poller. Only the newest ones are kept. */
export function noteStart(sql: Statements, at: number): void {
  sql.run('INSERT INTO starts (at) VALUES (?)', at);
  sql.run(
    'DELETE FROM starts WHERE id <= (SELECT id FROM starts ORDER BY id DESC LIMIT 1 OFFSET ?)',
    KEPT_STARTS,
  );
}

/** Removes the newest start at `at`. */
export function forgetStart(sql: Statements, at: number): void {
  sql.run('DELETE FROM starts WHERE id = (SELECT max(id) FROM starts WHERE at = ?)', at);
}

/** When pollers recently started that did not end cleanly, the earliest first, in milliseconds since the epoch. */
export function startsIn(sql: Statements): number[] {
  return sql.all('SELECT at FROM starts ORDER BY id').map(({ at }) => Number(at));
}
