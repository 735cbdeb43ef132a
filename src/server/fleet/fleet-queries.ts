import type { ModuleId } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import type { ModuleStates } from '../../registry/fleet-documents.ts';
import { machineCounts } from './machine-counts.ts';
import { groupCounts } from './groups.ts';
import type { Slices } from './slices.ts';
import {
  countMachines,
  machineIn,
  machineRows,
  placedRows,
  statesOf,
  type ListTerms,
  type MachineSearch,
  type SeenMachine,
} from './machine-queries.ts';
import { failingCounts, failureIn } from './failing-modules.ts';
import { presenceCounts, silentAfter } from './presence.ts';
import { refusingIds, refusingMachines, unreportedIds, type Refusals } from './refusals.ts';
import { wrongClocks } from './reported-clock.ts';
import { COUNTED_STATES, IS_RETIRED } from './retirement.ts';
import { IS_HELD_LONG } from './state-conditions.ts';
import { storedState } from './stored-state.ts';

const DAY_MS = 86_400_000;

/** So many counts are in each list of an answer: a token can report versions and modules without end (T252). */
const MOST_COUNTS = 2000;

/** The counts of a fleet. A machine that is flagged as a duplicate counts only as that. */
export function* fleetCounts(sql: Statements, now: number, refusals: Refusals): Slices<object> {
  const modules = sql.all(MODULES, MOST_COUNTS);
  yield;
  const held = sql.all(HELD, MOST_COUNTS);
  yield;
  const failing = failingCounts(sql, MOST_COUNTS);
  yield;
  const outcomes = yield* outcomeCounts(sql, now - DAY_MS);
  const counts = machineCounts(sql, now);
  return {
    machines: counts.machines,
    retired: counts.retired,
    failing: countMachines(sql, { condition: 'failing', after: '' }),
    refusing: refusingIds(sql, refusals).length,
    refusing_documents: refusingMachines(sql, refusals),
    wrong_clocks: wrongClocks(sql).length,
    presence: presenceCounts(sql, now),
    seen_in_24h: counts.seen,
    duplicates: counts.duplicates,
    without_pin: counts.unpinned,
    missing_outcomes: Number(sql.get(MISSING)?.['n']),
    groups: groupCounts(sql, now).map(({ group, machines, seen }) => {
      return { group, machines, seen_in_24h: seen };
    }),
    modules: modules.map(stateCount),
    held_over_a_week: held.map(versionCount),
    failing_modules: failing,
    modules_left_out: Number(modules[0]?.['of'] ?? 0) - modules.length,
    outcomes_in_24h: outcomes.counts,
    outcomes_left_out: outcomes.leftOut,
  };
}

function versionCount({ module_id, deployed, machines }: Row): object {
  return { module_id, deployed, machines: Number(machines) };
}

function stateCount({ module_id, deployed, decision, machines }: Row): object {
  return { module_id, deployed, decision, machines: Number(machines) };
}

/** A sum that JavaScript can read, whatever the machines sent (T246). */
const MISSING = `SELECT min(total(missing), ${Number.MAX_SAFE_INTEGER}) AS n FROM machines`;
/** Those of most machines, in the order of their ids. */
const MODULES = `SELECT * FROM
    (SELECT module_id, deployed, decision, sum(counted) AS machines, count(*) OVER () AS "of"
      FROM ${COUNTED_STATES} GROUP BY module_id, deployed, decision ORDER BY machines DESC, module_id, deployed, decision LIMIT ?)
  ORDER BY module_id, deployed, decision`;

const HELD = `SELECT module_id, deployed, sum(machines) AS machines FROM states
  WHERE decision = 'hold' AND ${IS_HELD_LONG} GROUP BY module_id, deployed ORDER BY module_id, deployed LIMIT ?`;

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

/** A page of an answer. */
interface MachinesPage {
  readonly machines: readonly object[];
  /** Undefined if there are none, and on another page than the first one of all machines. */
  readonly unreported?: readonly object[];
  /** How many more of them there are; undefined if there are none. */
  readonly unreported_left_out?: number;
  /** The id to ask for next; null if there is no further machine. */
  readonly next: string | null;
}

/** A page ends with what exceeds so many characters. The ids of a fleet follow the last state, and an answer may have 16 MiB (T270). */
const LONGEST_PAGE = 2 * 1024 * 1024;

/** Machines in the order of their ids, each with its modules that match the query. */
export function fleetMachines(
  sql: Statements,
  search: MachineSearch,
  terms: ListTerms,
): MachinesPage {
  const { now, limit, refusals } = terms;
  const machines = machineRows(sql, search, limit);
  const filter = statesOf(search) ?? { where: 'TRUE', values: [] };
  const silentMs = silentAfter(sql);
  const { unreported, leftOut, length } = firstUnreported(sql, search, terms);
  const found: object[] = [];
  let size = length;
  for (const row of machines) {
    const modules = placedRows(sql, row, filter, 'name');
    const seen = machineIn(row, now, silentMs);
    found.push({ ...machineOf(seen, modules), refuses: refusals.get(seen.id) ?? null });
    size += modules.reduce((sum, { content }) => sum + String(content).length, 0);
    if (size > LONGEST_PAGE) break;
  }
  const isLast = machines.length < limit && found.length === machines.length;
  const next = isLast ? null : String(machines[found.length - 1]?.['name']);
  return {
    machines: found,
    ...(unreported.length > 0 && { unreported }),
    ...(leftOut > 0 && { unreported_left_out: leftOut }),
    next,
  };
}

/** The first machines that refuse documents and have never reported (D480), as many as a page may have, and the length of their text. */
function firstUnreported(
  sql: Statements,
  search: MachineSearch,
  { limit, refusals }: ListTerms,
): { readonly unreported: readonly object[]; readonly leftOut: number; readonly length: number } {
  const isWhole = Object.values(search).every((asked) => asked === undefined || asked === '');
  const ids = isWhole ? unreportedIds(sql, refusals) : [];
  const unreported: object[] = [];
  let length = 0;
  for (const id of ids.slice(0, limit)) {
    const one = { id, refuses: refusals.get(id) };
    unreported.push(one);
    length += JSON.stringify(one).length;
    if (length > LONGEST_PAGE) break;
  }
  return { unreported, leftOut: ids.length - unreported.length, length };
}

function machineOf(machine: SeenMachine, modules: readonly Row[]): object {
  const { heardAt, presence, clock } = machine;
  const { id, seenAt, platform, modreg, group, isDuplicate, missingOutcomes, retired } = machine;
  return {
    id,
    seen_at: formatTime(seenAt),
    heard_at: heardAt === undefined ? null : formatTime(heardAt),
    presence,
    platform: platform ?? null,
    modreg: modreg ?? null,
    group: group ?? null,
    is_duplicate: isDuplicate,
    missing_outcomes: missingOutcomes,
    clock: clock ? { ahead_ms: clock.aheadMs, synchronized: clock.isSynchronized ?? null } : null,
    retired: retired ? { at: formatTime(retired.at), by: retired.by } : null,
    modules: modules.map((module) => {
      const { facts: _facts, platform: _platform, ...shown } = storedState(module);
      return { name: module['name'], ...shown, failing: failureIn(module) };
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
      const { id: _id, ...shown } = page;
      states.push(JSON.stringify(shown));
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
    const grouped = new Map<string, string[]>();
    for (;;) {
      const some = sql.all(MACHINES, id, MACHINES_AT_ONCE, machines.length);
      for (const { name, group_name: group } of some) {
        machines.push(String(name));
        append(grouped, group, String(name));
      }
      // A state takes as long as a few machines.
      read += some.length + 10;
      if (read >= MACHINES_AT_ONCE) {
        read = 0;
        yield;
      }
      if (some.length < MACHINES_AT_ONCE) break;
    }
    const row = sql.get('SELECT * FROM states WHERE id = ?', id);
    if (!row || machines.length === 0) continue;
    const groups = Array.from(grouped, ([group, ids]) => ({ group, machines: ids }));
    const known = { id: Number(id), state: storedState(row), machines };
    yield groups.length === 0 ? known : { ...known, groups };
  }
}

/** Adds a machine to those of its group, if it is in one. */
function append(groups: Map<string, string[]>, group: unknown, machine: string): void {
  if (typeof group !== 'string') return;
  const known = groups.get(group);
  if (known) known.push(machine);
  else groups.set(group, [machine]);
}

/** So many take a few milliseconds. */
const MACHINES_AT_ONCE = 1000;
const IDS = 'SELECT id FROM states WHERE module_id = ? AND id > ? ORDER BY id';
const MACHINES = `SELECT machines.name AS name, group_name FROM placements JOIN machines ON machines.id = machine
  WHERE state = ? AND NOT (${IS_RETIRED}) ORDER BY machine LIMIT ? OFFSET ?`;
