import type { Statements } from '../sqlite/statements.ts';
import { textOf } from './columns.ts';

const KEPT_STARTS = 10;

/** Records the start of a poller, and in which boot of the machine that is, if it is known. Only the newest ones are kept. */
export function noteStart(sql: Statements, at: number, boot: string | undefined): void {
  const { lastInsertRowid } = sql.run('INSERT INTO starts (at) VALUES (?)', at);
  if (boot !== undefined)
    sql.run(
      'INSERT OR REPLACE INTO boots (start, boot) VALUES (?, ?)',
      Number(lastInsertRowid),
      boot,
    );
  sql.run(
    'DELETE FROM starts WHERE id <= (SELECT id FROM starts ORDER BY id DESC LIMIT 1 OFFSET ?)',
    KEPT_STARTS,
  );
  sql.run('DELETE FROM boots WHERE start NOT IN (SELECT id FROM starts)');
}

/** Removes the newest start at `at`. */
export function forgetStart(sql: Statements, at: number): void {
  sql.run('DELETE FROM starts WHERE id = (SELECT max(id) FROM starts WHERE at = ?)', at);
}

/** The boot of the machine in which each of these starts was; undefined if it is not known. */
export function bootsIn(sql: Statements): (string | undefined)[] {
  return sql
    .all('SELECT boot FROM starts LEFT JOIN boots ON boots.start = starts.id ORDER BY id')
    .map(({ boot }) => textOf(boot));
}

/** When pollers recently started that did not end cleanly, the earliest first, in milliseconds since the epoch. */
export function startsIn(sql: Statements): number[] {
  return sql.all('SELECT at FROM starts ORDER BY id').map(({ at }) => Number(at));
}
