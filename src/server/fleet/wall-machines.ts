import type { RefusedDocuments } from '../../registry/config-documents.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { IN_USE, machineCounts } from './machine-counts.ts';
import {
  BY_ATTENTION,
  machinesIn,
  moduleIn,
  placedRows,
  statesOf,
  textOf,
  type Condition,
  type PlacedModule,
} from './machine-queries.ts';
import { clockIn, isWrongClock, wrongClocks, type ReportedClock } from './reported-clock.ts';
import { refusingIds, unreportedIds, type Refusals } from './refusals.ts';
import { heardAt, presenceIn, silentAfter, type Presence } from './presence.ts';

/** The states of a machine that needs attention (D461), the most urgent first. */
const TROUBLES = ['silent', 'failing', 'stuck', 'refusing', 'wrong clock', 'quiet'] as const;
/** Those of a machine that is not well. One that is behind may only wait for its window. */
export const NOT_WELL = [...TROUBLES, 'behind'] as const;
/** A machine on the wall has the first of these that is true of it: what a silent one reported is old. */
const WALL_STATES = [...NOT_WELL, 'well'] as const;
export type WallState = (typeof WALL_STATES)[number];

/** A tile of one machine. */
export interface WallMachine {
  readonly id: string;
  readonly state: WallState;
  /** In milliseconds since the epoch; undefined if it is not known. */
  readonly heardAt: number | undefined;
  /** Undefined if it is not known. */
  readonly clock: ReportedClock | undefined;
}

/** A machine that needs attention. */
export interface WallTrouble extends WallMachine {
  /** What fails or is stuck; undefined for one that is not heard, or has a wrong clock. */
  readonly module: PlacedModule | undefined;
  /** Which documents of its site it refuses, and why (D450); undefined in another state. */
  readonly refusal: RefusedDocuments | undefined;
}

/** A tile of all machines of a group, or of those without one. */
export interface WallGroup {
  readonly group: string | undefined;
  readonly machines: number;
  readonly states: Readonly<Record<WallState, number>>;
}

/** The machines of a site, for a screen that people read from afar (D215). */
export interface WallMachines {
  readonly machines: number;
  /** How many have which state; a machine can have several, except for its presence. */
  readonly counts: Readonly<Record<Exclude<WallState, 'well'> | 'online', number>>;
  /** Ids under which two machines report. */
  readonly duplicates: number;
  /** The most urgent ones first, and how many there are. */
  readonly troubles: readonly WallTrouble[];
  readonly troublesOf: number;
  /** All machines, the most urgent ones first; none if there are too many. */
  readonly tiles: readonly WallMachine[];
  /** The groups of machines that are too many for a tile each, the most urgent ones first, and how many there are. */
  readonly groups: readonly WallGroup[];
  readonly groupsOf: number;
}

/** More machines are shown by their groups, and more groups are counted. */
const MOST_TILES = 500;
/** So many are grouped by what is wrong. */
const MOST_TROUBLES = 100;
/** `rover-2` before `rover-10`. */
const BY_NAME = new Intl.Collator('en', { numeric: true });
const IS_TROUBLE: ReadonlySet<WallState> = new Set(TROUBLES);

/** The machines that are in use, and those that refuse documents and have never reported (D480). */
export function wallMachines(sql: Statements, now: number, refusals: Refusals): WallMachines {
  const having = havingIn(sql);
  const silentMs = silentAfter(sql);
  const presence: Record<Presence, number> = { online: 0, quiet: 0, silent: 0, retired: 0 };
  const { keep, all } = keptTiles();
  const groups = new Map<string | undefined, CountedGroup>();
  let machines = 0;
  for (const row of sql.iterate(MACHINES)) {
    const present = presenceIn(row, now, silentMs);
    const clock = clockIn(row);
    const isWrong = clock !== undefined && isWrongClock(clock);
    const isRefusing = refusals.has(String(row['name']));
    const state = stateOf(Number(row['id']), { ...having, presence: present, isRefusing, isWrong });
    machines++;
    presence[present]++;
    addTo(groups, textOf(row['group_name']), state);
    keep({ id: String(row['name']), state, heardAt: heardAt(row, now), clock });
  }
  const unreported = unreportedIds(sql, refusals);
  for (const id of unreported) {
    addTo(groups, undefined, 'refusing');
    keep({ id, state: 'refusing', heardAt: undefined, clock: undefined });
  }
  const isTooMany = machines + unreported.length > MOST_TILES;
  return {
    machines,
    counts: {
      ...presence,
      ...sizesOf(having),
      refusing: refusingIds(sql, refusals).length,
      'wrong clock': wrongClocks(sql).length,
    },
    duplicates: machineCounts(sql, now).duplicates,
    troubles: troublesOf(sql, all(), refusals),
    troublesOf: troublesIn(groups),
    tiles: isTooMany ? [] : all(),
    groups: isTooMany ? [...groups.values()].toSorted(byUrgency).slice(0, MOST_TILES) : [],
    groupsOf: isTooMany ? groups.size : 0,
  };
}

/** The first machines of each state, the most urgent state first. */
function keptTiles(): {
  readonly keep: (machine: WallMachine) => void;
  readonly all: () => WallMachine[];
} {
  const found = new Map(WALL_STATES.map((state) => [state, [] as WallMachine[]]));
  return {
    keep(machine) {
      const same = found.get(machine.state) ?? [];
      if (same.length < MOST_TILES) same.push(machine);
    },
    all: () =>
      [...found.values()].flatMap((same) =>
        same.toSorted((one, other) => BY_NAME.compare(one.id, other.id)),
      ),
  };
}

function troublesOf(
  sql: Statements,
  machines: readonly WallMachine[],
  refusals: Refusals,
): WallTrouble[] {
  return machines
    .filter(({ state }) => IS_TROUBLE.has(state))
    .slice(0, MOST_TROUBLES)
    .map(({ id, state, heardAt: heard, clock }) => {
      const refusal = state === 'refusing' ? refusals.get(id) : undefined;
      return { id, state, heardAt: heard, clock, module: moduleOf(sql, id, state), refusal };
    });
}

const MACHINES = `SELECT id, name, group_name, seen_at, contact_at, every_ms, retired_at,
    duplicate_at, clock_ahead_ms, synchronized FROM machines
  WHERE ${IN_USE} ORDER BY name`;

type Having = Readonly<Record<Condition, ReadonlySet<number>>>;

function havingIn(sql: Statements): Having {
  return {
    failing: machinesIn(sql, 'failing'),
    stuck: machinesIn(sql, 'stuck'),
    behind: machinesIn(sql, 'behind'),
  };
}

interface Seen extends Having {
  readonly presence: Presence;
  readonly isRefusing: boolean;
  /** Of its clock. */
  readonly isWrong: boolean;
}

function stateOf(
  id: number,
  { presence, failing, stuck, behind, isRefusing, isWrong }: Seen,
): WallState {
  if (presence === 'silent') return 'silent';
  if (failing.has(id)) return 'failing';
  if (stuck.has(id)) return 'stuck';
  if (isRefusing) return 'refusing';
  if (isWrong) return 'wrong clock';
  if (presence === 'quiet') return 'quiet';
  return behind.has(id) ? 'behind' : 'well';
}

function sizesOf({ failing, stuck, behind }: Having): Readonly<Record<Condition, number>> {
  return { failing: failing.size, stuck: stuck.size, behind: behind.size };
}

interface CountedGroup extends WallGroup {
  machines: number;
  readonly states: Record<WallState, number>;
}

function addTo(
  groups: Map<string | undefined, CountedGroup>,
  group: string | undefined,
  state: WallState,
): void {
  const counted = groups.get(group) ?? { group, machines: 0, states: noneCounted() };
  counted.machines++;
  counted.states[state]++;
  groups.set(group, counted);
}

function noneCounted(): Record<WallState, number> {
  // A cast: the types do not follow the names.
  return Object.fromEntries(WALL_STATES.map((state) => [state, 0])) as Record<WallState, number>;
}

function troublesIn(groups: ReadonlyMap<string | undefined, WallGroup>): number {
  let sum = 0;
  for (const { states } of groups.values()) {
    for (const state of TROUBLES) sum += states[state];
  }
  return sum;
}

/** Groups with more machines of the most urgent state come first; those without a group are last among equals. */
function byUrgency(one: WallGroup, other: WallGroup): number {
  for (const state of TROUBLES) {
    const difference = other.states[state] - one.states[state];
    if (difference !== 0) return difference;
  }
  if (one.group === undefined || other.group === undefined) return one.group === undefined ? 1 : -1;
  return BY_NAME.compare(one.group, other.group);
}

/** What is wrong on a machine: the first module in its state. */
function moduleOf(sql: Statements, id: string, state: WallState): PlacedModule | undefined {
  if (state !== 'failing' && state !== 'stuck') return undefined;
  const machine = sql.get('SELECT id FROM machines WHERE name = ?', id);
  const filter = statesOf({ condition: state });
  const [row]: readonly Row[] =
    machine && filter ? placedRows(sql, machine, filter, BY_ATTENTION) : [];
  return row && moduleIn(row);
}
