import type { ModuleId } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import type { ModuleStates } from '../../registry/fleet-documents.ts';
import type { Slices } from './slices.ts';
import { storedState } from './stored-state.ts';
import { DUPLICATE_MS } from './take-report.ts';

const DAY_MS = 86_400_000;

/** So many counts are in each list of an answer: a token can report versions and modules without end (T252). */
const MOST_COUNTS = 2000;

/** The counts of a fleet. A machine that is flagged as a duplicate counts only as that. */
export function* fleetCounts(sql: Statements, now: number): Slices<object> {
  const count = (where: string, ...values: readonly number[]): number =>
    Number(sql.get(`SELECT count(*) AS n FROM machines ${where}`, ...values)?.['n']);
  const modules = sql.all(MODULES, MOST_COUNTS);
  yield;
  const outcomes = yield* outcomeCounts(sql, now - DAY_MS);
  return {
    machines: count(''),
    seen_in_24h: count('WHERE seen_at > ?', now - DAY_MS),
    duplicates: count('WHERE duplicate_at > ?', now - DUPLICATE_MS),
    missing_outcomes: Number(sql.get(MISSING)?.['n']),
    modules: modules.map((row) => ({
      module_id: row['module_id'],
      deployed: row['deployed'],
      decision: row['decision'],
      machines: Number(row['machines']),
    })),
    modules_left_out: Number(modules[0]?.['of'] ?? 0) - modules.length,
    outcomes_in_24h: outcomes.counts,
    outcomes_left_out: outcomes.leftOut,
  };
}

/** A sum that JavaScript can read, whatever the machines sent (T246). */
const MISSING = `SELECT min(total(missing), ${Number.MAX_SAFE_INTEGER}) AS n FROM machines`;
/** Those of most machines, in the order of their ids. */
const MODULES = `SELECT * FROM
    (SELECT module_id, deployed, decision, sum(machines) AS machines, count(*) OVER () AS "of"
      FROM states GROUP BY module_id, deployed, decision ORDER BY machines DESC, module_id, deployed, decision LIMIT ?)
  ORDER BY module_id, deployed, decision`;

interface OutcomeCount {
  readonly module_id: Row[string];
  readonly version: Row[string];
  readonly result: Row[string];
  readonly outcomes: number;
}

interface OutcomeCounts {
  readonly counts: readonly OutcomeCount[];
  readonly leftOut: number;
}

/**
 * How often each result of each version was reported since: first those of several machines, then the most frequent ones. Each is counted
 * by the index, which one query for all would not be.
 */
function* outcomeCounts(sql: Statements, since: number): Slices<OutcomeCounts> {
  let ranked: (OutcomeCount & { readonly isOfSeveral: number })[] = [];
  let found = 0;
  const keepFirst = (): void => {
    const byRank = (a: (typeof ranked)[number], b: (typeof ranked)[number]): number =>
      b.isOfSeveral - a.isOfSeveral || b.outcomes - a.outcomes;
    ranked = ranked.toSorted(byRank).slice(0, MOST_COUNTS);
  };
  let kind = sql.get(NEXT_KIND, '', '', '');
  while (kind) {
    const { module_id = null, version = null, result = null } = kind;
    const row = sql.get(COUNT, module_id, version, result, since);
    const outcomes = Number(row?.['n']);
    if (outcomes > 0) {
      found += 1;
      ranked.push({ module_id, version, result, outcomes, isOfSeveral: Number(row?.['several']) });
    }
    if (ranked.length >= 2 * MOST_COUNTS) keepFirst();
    yield;
    kind = sql.get(NEXT_KIND, module_id, version, result);
  }
  keepFirst();
  const counts = ranked.map(({ isOfSeveral: _several, ...one }) => one).toSorted(byKind);
  return { counts, leftOut: found - counts.length };
}

function byKind(a: OutcomeCount, b: OutcomeCount): number {
  const [one, other] = [a, b].map((of) => [of.module_id, of.version, of.result].join('\0'));
  return String(one) < String(other) ? -1 : 1;
}

const NEXT_KIND = `SELECT module_id, version, result FROM outcomes
  WHERE (module_id, version, result) > (?, ?, ?) ORDER BY module_id, version, result LIMIT 1`;
const COUNT = `SELECT count(*) AS n, min(machine) < max(machine) AS several FROM outcomes
  WHERE module_id = ? AND version = ? AND result = ? AND received_at > ?`;

/** Which machines are asked for. An absent field restricts nothing. */
export interface MachineQuery {
  readonly module?: string | undefined;
  readonly version?: string | undefined;
  readonly isStuck: boolean;
  /** The last id of the page before. */
  readonly after: string;
  readonly limit: number;
}

/** A page of an answer. */
interface MachinesPage {
  readonly machines: readonly object[];
  /** The id to ask for next; null if there is no further machine. */
  readonly next: string | null;
}

/** A page ends with what exceeds so many characters. The ids of a fleet follow the last state, and an answer may have 16 MiB (T270). */
const LONGEST_PAGE = 2 * 1024 * 1024;

/** Machines in the order of their ids, each with its modules that match the query. */
export function fleetMachines(sql: Statements, query: MachineQuery, now: number): MachinesPage {
  const { module = null, version = null, isStuck, after, limit } = query;
  const isAny = module === null && version === null && !isStuck;
  const matching = `SELECT id FROM states WHERE (?1 IS NULL OR module_id = ?1) AND (?2 IS NULL OR deployed = ?2)
    AND (?3 = 0 OR decision = 'stuck')`;
  const wanted = [module, version, isStuck ? 1 : 0] as const;
  const machines = isAny
    ? sql.all('SELECT * FROM machines WHERE name > ? ORDER BY name LIMIT ?', after, limit)
    : sql.all(
        `SELECT * FROM machines WHERE name > ?4 AND id IN
          (SELECT machine FROM placements WHERE state IN (${matching})) ORDER BY name LIMIT ?5`,
        ...wanted,
        after,
        limit,
      );
  const found: object[] = [];
  let size = 0;
  for (const row of machines) {
    const modules = sql.all(
      `SELECT placements.name, states.* FROM placements JOIN states ON states.id = state
        WHERE machine = ?4 AND state IN (${matching}) ORDER BY placements.name`,
      ...wanted,
      row['id'] ?? null,
    );
    found.push(machineOf(row, modules, now));
    size += modules.reduce((sum, { content }) => sum + String(content).length, 0);
    if (size > LONGEST_PAGE) break;
  }
  const isLast = machines.length < limit && found.length === machines.length;
  return { machines: found, next: isLast ? null : String(machines[found.length - 1]?.['name']) };
}

function machineOf(row: Row, modules: readonly Row[], now: number): object {
  const duplicateAt = row['duplicate_at'];
  return {
    id: row['name'],
    seen_at: formatTime(Number(row['seen_at'])),
    platform: row['platform'],
    modreg: row['modreg'],
    is_duplicate: duplicateAt !== null && now - Number(duplicateAt) < DUPLICATE_MS,
    missing_outcomes: Number(row['missing']),
    modules: modules.map((module) => {
      const { facts: _facts, platform: _platform, ...shown } = storedState(module);
      return { name: module['name'], ...shown };
    }),
  };
}

const STATES_OF_PAGE = 2000;

/**
 * A page of what machines report about a module, as JSON: a list of objects with `state`, which is the same for all `machines`, a
 * list of their ids. Joined here, because it can have the ids of a whole fleet. `next` is the `after` of the next page.
 */
export function* moduleStates(sql: Statements, moduleId: ModuleId, after: number): Slices<string> {
  const states: string[] = [];
  let length = 0;
  for (const page of statesAfter(sql, moduleId, after)) {
    if (!page) yield;
    else {
      states.push(JSON.stringify({ state: page.state, machines: page.machines }));
      length += states.at(-1)?.length ?? 0;
      const isFull = states.length === STATES_OF_PAGE || length > LONGEST_PAGE;
      if (isFull) return pageOf(moduleId, states, page.id);
    }
  }
  return pageOf(moduleId, states, null);
}

function pageOf(moduleId: ModuleId, states: readonly string[], next: number | null): string {
  return `{"module_id":${JSON.stringify(moduleId)},"states":[${states.join()}],"next":${next}}`;
}

/** All that machines report about a module. Undefined in between, where a server may answer others. */
export function* statesAfter(
  sql: Statements,
  moduleId: ModuleId,
  after: number,
): Generator<(ModuleStates & { readonly id: number }) | undefined> {
  let read = 0;
  for (const { id = null } of sql.all(IDS, moduleId, after)) {
    const machines: string[] = [];
    for (;;) {
      const some = sql.all(MACHINES, id, MACHINES_AT_ONCE, machines.length);
      for (const { name } of some) machines.push(String(name));
      // A state takes as long as a few machines.
      read += some.length + 10;
      if (read >= MACHINES_AT_ONCE) {
        read = 0;
        yield;
      }
      if (some.length < MACHINES_AT_ONCE) break;
    }
    const row = sql.get('SELECT * FROM states WHERE id = ?', id);
    if (row && machines.length > 0) yield { id: Number(id), state: storedState(row), machines };
  }
}

/** So many take a few milliseconds. */
const MACHINES_AT_ONCE = 1000;
const IDS = 'SELECT id FROM states WHERE module_id = ? AND id > ? ORDER BY id';
const MACHINES = `SELECT machines.name AS name FROM placements JOIN machines ON machines.id = machine
  WHERE state = ? ORDER BY machine LIMIT ? OFFSET ?`;
