import type { FirstSeen } from '../core/releases/publish-time.ts';
import { latestIn } from '../registry/first-seen.ts';
import type { Statements } from '../sqlite/statements.ts';

/** The address of a registry, and a module. */
export type ListKey = readonly [address: string, moduleId: string];

/**
 * The version of the row with the time of the first list. No release has it. Its `absent_at` is the last certain time at which
 * the list was confirmed.
 */
const FIRST_LIST = '';
/** With more rows than this, those of releases that are no longer remembered are deleted. */
const MOST_ROWS = 100_000;
/** In `seen_at`: no time limits when the release was published, because none was certain (D58). */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** What is known about when the releases of a module were first seen. */
export interface ReadTimes {
  /** Undefined if no list of it was saved. */
  readonly firstSeen: FirstSeen | undefined;
  /** The last certain time at which its list was confirmed. */
  readonly certainAt: number | undefined;
}

export function readFirstSeen(sql: Statements, key: ListKey): ReadTimes {
  let since: number | undefined;
  let certainAt: number | undefined;
  const added = new Map<string, { readonly after: number; readonly at: number }>();
  for (const { version, absent_at: absentAt, seen_at: seenAt } of sql.all(SELECT, ...key)) {
    const at = seenAt === NO_LIMIT ? Infinity : Number(seenAt);
    const after = absentAt === null ? undefined : Number(absentAt);
    if (version === FIRST_LIST) [since, certainAt] = [at, after];
    else added.set(String(version), { after: after ?? -Infinity, at });
  }
  return { firstSeen: since === undefined ? undefined : { since, added }, certainAt };
}

/**
 * Writes the times that the file lacks: usually those of the releases that were added last, which end the map. A time that
 * lies after the same time here becomes that one (D59).
 */
export function writeFirstSeen(sql: Statements, key: ListKey, firstSeen: FirstSeen): void {
  const { since, added } = firstSeen;
  let last = FIRST_LIST;
  const all: Row[] = [[last, null, stored(since)]];
  for (const [version, { after, at }] of added) {
    last = version;
    all.push([version, Number.isFinite(after) ? after : null, stored(at)]);
  }
  const rows = rowsOf(sql, key);
  if (rows < all.length) sql.run(INSERT, ...key, JSON.stringify(all.slice(rows)));
  // Another process may have written other rows.
  const isWritten = rowsOf(sql, key) >= all.length && sql.get(SELECT_ONE, ...key, last);
  if (!isWritten || isEarlier(latestIn(firstSeen), sql, key)) {
    sql.run(INSERT, ...key, JSON.stringify(all));
  }
  if (rowsOf(sql, key) > Math.max(MOST_ROWS, all.length)) {
    sql.run(DELETE_OTHERS, ...key, JSON.stringify(all.map(([version]) => version)));
  }
}

/** Writes the last certain time at which lists were confirmed, by their modules. */
export function writeCertainTimes(
  sql: Statements,
  address: string,
  times: ReadonlyMap<string, number>,
): void {
  if (times.size > 0) sql.run(WRITE_CERTAIN, address, JSON.stringify([...times]));
}

type Row = readonly [version: string, absentAt: number | null, seenAt: number];

function stored(at: number): number {
  return Number.isFinite(at) ? at : NO_LIMIT;
}

function rowsOf(sql: Statements, key: ListKey): number {
  return Number(sql.get(COUNT, ...key)?.['rows']);
}

/** Whether times were settled since the file was written. */
function isEarlier(
  { after, at }: ReturnType<typeof latestIn>,
  sql: Statements,
  key: ListKey,
): boolean {
  const row = sql.get(LATEST, ...key);
  return Number(row?.['seen_at']) > stored(at) || Number(row?.['absent_at'] ?? -Infinity) > after;
}

const SELECT =
  'SELECT version, absent_at, seen_at FROM first_seen WHERE address = ? AND module_id = ?';
const COUNT = 'SELECT count(*) AS rows FROM first_seen WHERE address = ? AND module_id = ?';
const LATEST = `
  SELECT max(seen_at) AS seen_at, max(absent_at) FILTER (WHERE version <> '') AS absent_at
  FROM first_seen WHERE address = ? AND module_id = ?`;
const WRITE_CERTAIN = `
  UPDATE first_seen SET absent_at = one.value ->> 1 FROM json_each(?2) AS one
  WHERE address = ?1 AND version = '' AND module_id = one.value ->> 0`;
const SELECT_ONE = 'SELECT 1 FROM first_seen WHERE address = ? AND module_id = ? AND version = ?';
const INSERT = `
  INSERT INTO first_seen (address, module_id, version, absent_at, seen_at)
  SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
  ON CONFLICT DO UPDATE SET
    seen_at = min(seen_at, excluded.seen_at),
    absent_at = iif(version = '', absent_at, min(absent_at, excluded.absent_at))
  WHERE excluded.seen_at < seen_at OR excluded.absent_at < absent_at`;
const DELETE_OTHERS = `
  DELETE FROM first_seen
  WHERE address = ? AND module_id = ? AND version NOT IN (SELECT value FROM json_each(?))`;
