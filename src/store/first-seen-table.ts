import type { FirstSeen } from '../core/releases/publish-time.ts';
import type { Statements } from '../sqlite/statements.ts';

/** The address of a registry, and a module. */
export type ListKey = readonly [address: string, moduleId: string];

/** The version of the row with the time of the first list. No release has it. */
const FIRST_LIST = '';
/** With more rows than this, those of releases that are no longer remembered are deleted. */
const MOST_ROWS = 100_000;

/** When releases of a module were first seen; undefined if no list of it was saved. */
export function readFirstSeen(sql: Statements, key: ListKey): FirstSeen | undefined {
  let since: number | undefined;
  const added = new Map<string, { readonly after: number; readonly at: number }>();
  for (const { version, absent_at: absentAt, seen_at: seenAt } of sql.all(SELECT, ...key)) {
    const at = Number(seenAt);
    if (version === FIRST_LIST) since = at;
    else
      added.set(String(version), { after: absentAt === null ? -Infinity : Number(absentAt), at });
  }
  return since === undefined ? undefined : { since, added };
}

/** Writes the times that the file lacks: usually those of the releases that were added last, which end the map. */
export function writeFirstSeen(sql: Statements, key: ListKey, { since, added }: FirstSeen): void {
  let last = FIRST_LIST;
  const all: Row[] = [[last, null, since]];
  for (const [version, { after, at }] of added) {
    last = version;
    all.push([version, Number.isFinite(after) ? after : null, at]);
  }
  const rows = rowsOf(sql, key);
  if (rows < all.length) sql.run(INSERT, ...key, JSON.stringify(all.slice(rows)));
  // Another process may have written other rows.
  const isWritten = rowsOf(sql, key) >= all.length && sql.get(SELECT_ONE, ...key, last);
  if (!isWritten) sql.run(INSERT, ...key, JSON.stringify(all));
  if (rowsOf(sql, key) > Math.max(MOST_ROWS, all.length)) {
    sql.run(DELETE_OTHERS, ...key, JSON.stringify(all.map(([version]) => version)));
  }
}

type Row = readonly [version: string, absentAt: number | null, seenAt: number];

function rowsOf(sql: Statements, key: ListKey): number {
  return Number(sql.get(COUNT, ...key)?.['rows']);
}

const SELECT =
  'SELECT version, absent_at, seen_at FROM first_seen WHERE address = ? AND module_id = ?';
const COUNT = 'SELECT count(*) AS rows FROM first_seen WHERE address = ? AND module_id = ?';
const SELECT_ONE = 'SELECT 1 FROM first_seen WHERE address = ? AND module_id = ? AND version = ?';
const INSERT = `
  INSERT OR IGNORE INTO first_seen (address, module_id, version, absent_at, seen_at)
  SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;
const DELETE_OTHERS = `
  DELETE FROM first_seen
  WHERE address = ? AND module_id = ? AND version NOT IN (SELECT value FROM json_each(?))`;
