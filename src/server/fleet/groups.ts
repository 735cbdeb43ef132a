import { excerpt } from '../../core/text/quote.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { hasPin } from './reported-pin.ts';
import { IS_RETIRED } from './retirement.ts';

/** The machines of a group that are in use, and how many of them were heard in the last 24 hours. */
export interface GroupCount {
  readonly group: string;
  readonly machines: number;
  readonly seen: number;
}

const DAY_MS = 86_400_000;
/** A token can report groups without end. */
const MOST_COUNTS = 2000;
/** So many are named in a message. */
const NAMED = 10;

/** The groups of the machines that reported, in the order of their names; those of most machines if there are too many. */
export function groupCounts(sql: Statements, now: number): GroupCount[] {
  const rows = sql.all(
    `SELECT * FROM (SELECT group_name, count(*) AS machines, total(seen_at > ?) AS seen FROM machines
        WHERE group_name IS NOT NULL AND NOT (${IS_RETIRED})
        GROUP BY group_name ORDER BY machines DESC, group_name LIMIT ${MOST_COUNTS})
      ORDER BY group_name`,
    now - DAY_MS,
  );
  return rows.map(({ group_name, machines, seen }) => ({
    group: String(group_name),
    machines: Number(machines),
    seen: Number(seen),
  }));
}

/** A machine of a group, and whether its policy names a trust document, as it reported. */
export interface GroupMember {
  readonly machine: string;
  readonly isPinned: boolean;
}

/** The machines of a group that are in use, in the order of their ids. */
export function groupMembers(sql: Statements, group: string): readonly GroupMember[] {
  return sql
    .all(
      `SELECT name, pinned FROM machines WHERE group_name = ? AND NOT (${IS_RETIRED}) ORDER BY name`,
      group,
    )
    .map((row) => ({ machine: String(row['name']), isPinned: hasPin(row) }));
}

/** Why a rollout cannot begin with `groups`: no machine that reported is in one of them (T400). Undefined if it can. */
export function emptyGroup(
  known: readonly GroupCount[],
  groups: readonly string[],
): string | undefined {
  const empty = groups.filter((group) => !known.some((one) => one.group === group));
  if (empty.length === 0) return undefined;
  const which = `${empty.length === 1 ? 'the group' : 'the groups'} ${empty.map((one) => excerpt(one)).join(', ')}`;
  const some = known
    .slice(0, NAMED)
    .map(({ group, machines }) => `${excerpt(group)} (${machines})`);
  const rest = known.length > NAMED ? [`and ${known.length - NAMED} more`] : [];
  const there =
    known.length === 0
      ? 'none of them is in a group: name it in the policy or in the credentials file of its machines'
      : `there are ${[...some, ...rest].join(', ')}`;
  return `no machine that reported is in ${which}; ${there}`;
}
