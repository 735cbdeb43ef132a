import type { Row, Statements } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import { IN_USE } from './machine-counts.ts';
import { HELD_BY } from './state-conditions.ts';

/** A replacement that waits for a maintenance window, of machines that report the same (D442). */
export interface WindowHold {
  readonly moduleId: string;
  readonly deployed: string;
  readonly target: string;
  /** What the decision depends on; it may be damaged. */
  readonly facts: unknown;
  /** The ids of the first ones, and how many there are. */
  readonly machines: readonly string[];
  readonly machinesOf: number;
}

/** So many are looked at. */
const MOST_HOLDS = 2000;
/** So many machines of each are named. */
export const MOST_NAMES = 3;

const HOLDS = `SELECT id, module_id, deployed, content FROM states
  WHERE decision = 'hold' AND ${HELD_BY} = 'window-closed' ORDER BY id LIMIT ${MOST_HOLDS}`;
const OF_STATE = `FROM placements JOIN machines ON machines.id = placements.machine WHERE state = ? AND ${IN_USE}`;

/** What waits for windows on machines that are in use. */
export function windowHolds(sql: Statements): readonly WindowHold[] {
  return sql.all(HOLDS).flatMap((row) => holdIn(sql, row) ?? []);
}

function holdIn(sql: Statements, row: Row): WindowHold | undefined {
  const { target, facts } = Object(storedJson(row['content']));
  const state = row['id'] ?? null;
  const count = sql.get(`SELECT count(DISTINCT placements.machine) AS count ${OF_STATE}`, state);
  const machinesOf = Number(count?.['count']);
  if (typeof target !== 'string' || machinesOf === 0) return undefined;
  const names = sql.all(
    `SELECT DISTINCT machines.name AS name ${OF_STATE} ORDER BY machines.name LIMIT ${MOST_NAMES}`,
    state,
  );
  const machines = names.map(({ name }) => String(name));
  const [moduleId, deployed] = [String(row['module_id']), String(row['deployed'])];
  return { moduleId, deployed, target, facts, machines, machinesOf };
}
