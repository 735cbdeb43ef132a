import type { Statements } from '../../sqlite/statements.ts';

const TABLES = ['machine_configs', 'machine_commands'] as const;

/**
 * Returns a function that lists the machines for which any process added documents or commands since its last call. It returns undefined if
 * SQLite gave the rows new numbers, as a VACUUM does. Both tables only grow at their ends: the newest revision and the newest command of a machine are never deleted.
 */
export function servedByOthers(sql: Statements): () => readonly string[] | undefined {
  const ends = new Map<(typeof TABLES)[number], number>();
  return () => {
    const found: string[] = [];
    let isRenumbered = false;
    for (const table of TABLES) {
      const end = endOf(sql, table);
      const seen = ends.get(table) ?? end;
      ends.set(table, end);
      if (end === seen) continue;
      if (end < seen) isRenumbered = true;
      const rows = sql.all(`SELECT DISTINCT machine FROM ${table} WHERE rowid > ?`, seen);
      found.push(...rows.map(({ machine }) => String(machine)));
    }
    return isRenumbered ? undefined : found;
  };
}

function endOf(sql: Statements, table: (typeof TABLES)[number]): number {
  return Number(sql.get(`SELECT ifnull(max(rowid), 0) AS rows FROM ${table}`)?.['rows']);
}
