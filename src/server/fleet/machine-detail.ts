import type { Row, Statements } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import { silentAfter } from './presence.ts';
import { hasPin } from './reported-pin.ts';
import {
  BY_ATTENTION,
  machineIn,
  moduleIn,
  placedRows,
  textOf,
  type Filter,
  type PlacedModule,
  type SeenMachine,
} from './machine-queries.ts';

/** What an action of a machine came to. */
interface ListedOutcome {
  readonly receivedAt: number;
  readonly name: string;
  readonly direction: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly result: string;
  readonly reason: string | undefined;
}

export interface MachineDetail extends SeenMachine {
  /** Whether it reported that its policy names a trust document (D177, D441). */
  readonly isPinned: boolean;
  /** Those that fail, are stuck or behind first. */
  readonly modules: readonly PlacedModule[];
  /** The newest first. */
  readonly outcomes: readonly ListedOutcome[];
}

const MOST_OUTCOMES = 30;
const ANY: Filter = { where: 'TRUE', values: [] };

/** A machine with its modules and its last outcomes; undefined if it has never reported. */
export function machineDetail(sql: Statements, id: string, now: number): MachineDetail | undefined {
  const row = sql.get('SELECT * FROM machines WHERE name = ?', id);
  if (!row) return undefined;
  const modules = placedRows(sql, row, ANY, BY_ATTENTION);
  const outcomes = sql.all(
    `SELECT received_at, version, result, content FROM outcomes WHERE machine = ?
      ORDER BY received_at DESC, number DESC LIMIT ${MOST_OUTCOMES}`,
    row['id'] ?? null,
  );
  return {
    ...machineIn(row, now, silentAfter(sql)),
    isPinned: hasPin(row),
    modules: modules.map(moduleIn),
    outcomes: outcomes.map(outcomeIn),
  };
}

/** In place of a text of a damaged row. */
const UNREADABLE = 'unreadable';

function outcomeIn(row: Row): ListedOutcome {
  const { name, direction, from, reason } = Object(storedJson(row['content']));
  return {
    receivedAt: Number(row['received_at']),
    name: textOf(name) ?? UNREADABLE,
    direction: textOf(direction) ?? UNREADABLE,
    from: textOf(from),
    to: String(row['version']),
    result: String(row['result']),
    reason: textOf(reason),
  };
}
