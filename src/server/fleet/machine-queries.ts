import { lasting } from '../../core/text/time-words.ts';
import type { RefusedDocuments } from '../../registry/config-documents.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import type { FailingModule } from '../../registry/machine-report.ts';
import { failureIn, WITH_FAILURE } from './failing-modules.ts';
import { IS_BEHIND } from './state-conditions.ts';
import { IN_USE } from './machine-counts.ts';
import { storedState } from './stored-state.ts';
import {
  heardAt,
  presenceIn,
  silentAfter,
  whereUnheard,
  type Presence,
  type Unheard,
} from './presence.ts';
import { whereRefusing, type Refusals } from './refusals.ts';
import { clockIn, HAS_WRONG_CLOCK, type ReportedClock } from './reported-clock.ts';
import { IS_RETIRED, type RetiredMachine } from './retirement.ts';
import { DUPLICATE_MS } from './take-report.ts';

/** What a module of a machine can be in, besides what is as it should be. */
export type Condition = 'stuck' | 'behind' | 'failing';

const CONDITIONS: Readonly<Record<Condition, string>> = {
  stuck: "decision = 'stuck'",
  behind: `(${IS_BEHIND})`,
  failing: 'failure IS NOT NULL',
};

/** Which machines are asked for. An absent field restricts nothing. */
export interface MachineSearch {
  /** A part of the id. */
  readonly id?: string | undefined;
  readonly module?: string | undefined;
  readonly version?: string | undefined;
  readonly group?: string | undefined;
  /** `retired`: those that are retired, which no other search finds. `wrong clock`: those whose clock needs attention (D461). */
  readonly condition?: Condition | 'retired' | 'wrong clock' | undefined;
  /** Those that are not heard (D218), at this time in milliseconds since the epoch. */
  readonly unheard?: { readonly presence: Unheard; readonly now: number } | undefined;
  /** Those that refuse the documents of their site (D450). */
  readonly refusing?: Refusals | undefined;
  /** The last id of the page before; the empty text for the first page. */
  readonly after: string;
}

/** A part of a WHERE clause, and its values. */
export interface Filter {
  readonly where: string;
  readonly values: readonly (string | number)[];
}

/** Up to `limit` rows of machines in the order of their ids. */
export function machineRows(sql: Statements, search: MachineSearch, limit: number): readonly Row[] {
  const { where, values } = machinesOf(search);
  return sql.all(
    `SELECT * FROM machines WHERE name > ? AND ${where} ORDER BY name LIMIT ?`,
    search.after,
    ...values,
    limit,
  );
}

/** How many machines match, whatever page is shown. */
export function countMachines(sql: Statements, search: MachineSearch): number {
  const { where, values } = machinesOf(search);
  return Number(sql.get(`SELECT count(*) AS n FROM machines WHERE ${where}`, ...values)?.['n']);
}

/** The rows of the machines that have a module in a condition. */
export function machinesIn(sql: Statements, condition: Condition): ReadonlySet<number> {
  const { where, values } = machinesOf({ condition, after: '' });
  const rows = sql.iterate(`SELECT id FROM machines WHERE ${where}`, ...values);
  return new Set(Array.from(rows, ({ id }) => Number(id)));
}

function machinesOf(search: MachineSearch): Filter {
  const states = statesOf(search);
  return all([
    { where: search.condition === 'retired' ? IS_RETIRED : IN_USE, values: [] },
    search.id === undefined
      ? undefined
      : { where: 'instr(lower(name), ?) > 0', values: [search.id.toLowerCase()] },
    search.condition === 'wrong clock' ? { where: HAS_WRONG_CLOCK, values: [] } : undefined,
    search.group === undefined ? undefined : { where: 'group_name = ?', values: [search.group] },
    search.unheard && whereUnheard(search.unheard.presence, search.unheard.now),
    search.refusing && whereRefusing(search.refusing),
    states && {
      where: `id IN (${search.condition === 'failing' ? FAILING : PLACED} WHERE ${states.where})`,
      values: states.values,
    },
  ]);
}

const PLACED = 'SELECT machine FROM states JOIN placements ON state = states.id';
const FAILING =
  'SELECT machine FROM failing_modules JOIN placements USING (machine, kind, name) JOIN states ON states.id = state';

/** The states of a search; undefined if it is for any. */
export function statesOf({
  module,
  version,
  condition,
}: Omit<MachineSearch, 'after'>): Filter | undefined {
  const state = condition === 'retired' || condition === 'wrong clock' ? undefined : condition;
  if (module === undefined && version === undefined && state === undefined) return undefined;
  return all([
    module === undefined ? undefined : { where: 'module_id = ?', values: [module] },
    version === undefined ? undefined : { where: 'deployed = ?', values: [version] },
    state && { where: CONDITIONS[state], values: [] },
  ]);
}

function all(filters: readonly (Filter | undefined)[]): Filter {
  const given = filters.filter((one) => one !== undefined);
  return {
    where: ['TRUE', ...given.map(({ where }) => where)].join(' AND '),
    values: given.flatMap(({ values }) => values),
  };
}

/** The modules of a row of `machines`, each with its state; those that `filter` names. */
export function placedRows(
  sql: Statements,
  machine: Row,
  { where, values }: Filter,
  order: string,
): readonly Row[] {
  return sql.all(
    `SELECT kind, name, module_id, deployed, decision, content, failing_version, blame, failure
      FROM placements JOIN states ON states.id = state ${WITH_FAILURE} WHERE machine = ? AND ${where} ORDER BY ${order}`,
    machine['id'] ?? null,
    ...values,
  );
}

/** What a machine says of itself. */
export interface SeenMachine {
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly seenAt: number;
  /** When it was last heard, also by other requests than reports; undefined if no time before now is known (D186). */
  readonly heardAt: number | undefined;
  readonly presence: Presence;
  readonly platform: string | undefined;
  readonly modreg: string | undefined;
  /** As the registry counts it; undefined if it is in none. */
  readonly group: string | undefined;
  /** Whether two machines report under this id. */
  readonly isDuplicate: boolean;
  readonly missingOutcomes: number;
  /** Undefined if it is not known. */
  readonly clock: ReportedClock | undefined;
  /** Undefined while it is in use. */
  readonly retired: Omit<RetiredMachine, 'machine'> | undefined;
}

export function machineIn(row: Row, now: number, silentMs: number): SeenMachine {
  const duplicateAt = row['duplicate_at'] ?? null;
  const { retired_at: at = null, retired_by: by } = row;
  return {
    id: String(row['name']),
    seenAt: Number(row['seen_at']),
    heardAt: heardAt(row, now),
    presence: presenceIn(row, now, silentMs),
    platform: textOf(row['platform']),
    modreg: textOf(row['modreg']),
    group: textOf(row['group_name']),
    isDuplicate: duplicateAt !== null && now - Number(duplicateAt) < DUPLICATE_MS,
    missingOutcomes: Number(row['missing']),
    clock: clockIn(row),
    retired: at === null ? undefined : { at: Number(at), by: String(by) },
  };
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A module of a machine, as it was reported. */
export interface PlacedModule {
  readonly kind: string;
  readonly name: string;
  readonly moduleId: string;
  readonly constraint: string | undefined;
  readonly deployed: string;
  readonly target: string | undefined;
  readonly decision: string;
  readonly reason: string | undefined;
  /** The code of what holds its replacement; undefined if nothing does. */
  readonly heldBy: string | undefined;
  /** The code why it is stuck; undefined if it is not. */
  readonly stuckBy: string | undefined;
  /** Whether its replacements have been held for longer than a week. */
  readonly isHeldLong: boolean;
  readonly stops: readonly string[];
  readonly facts: object | null;
  /** Undefined if nothing of it fails. */
  readonly failing: FailingModule | undefined;
}

export interface ListedMachine extends SeenMachine {
  /** Undefined if it refuses no documents. */
  readonly refusal: RefusedDocuments | undefined;
  readonly modules: number;
  /** The modules that match the search; without one, those that fail, are stuck or behind. Only the first are listed. */
  readonly shown: readonly PlacedModule[];
  readonly shownOf: number;
}

const MOST_SHOWN = 3;

/** Up to `limit` machines in the order of their ids. */
export function searchMachines(
  sql: Statements,
  search: MachineSearch,
  { now, limit, refusals }: ListTerms,
): ListedMachine[] {
  const silentMs = silentAfter(sql);
  return machineRows(sql, search, limit).map((row) => {
    const seen = machineIn(row, now, silentMs);
    return listed(sql, row, search, { ...seen, refusal: refusals.get(seen.id) });
  });
}

/** What a list of machines depends on, besides what they reported. */
export interface ListTerms {
  readonly now: number;
  readonly limit: number;
  readonly refusals: Refusals;
}

const ANY = Object.values(CONDITIONS).join(' OR ');
const NEEDS_ATTENTION: Filter = { where: `(${ANY})`, values: [] };
/** Those that need attention first. */
export const BY_ATTENTION: string = `failure IS NULL, decision <> 'stuck', NOT ${CONDITIONS.behind}, name`;

function listed(
  sql: Statements,
  row: Row,
  search: MachineSearch,
  seen: SeenMachine & Pick<ListedMachine, 'refusal'>,
): ListedMachine {
  const filter = statesOf(search) ?? NEEDS_ATTENTION;
  const rows = placedRows(sql, row, filter, "failure IS NULL, decision <> 'stuck', name");
  const { id = null } = row;
  const known = sql.get('SELECT count(*) AS n FROM placements WHERE machine = ?', id);
  return {
    ...seen,
    modules: Number(known?.['n']),
    shown: rows.slice(0, MOST_SHOWN).map(moduleIn),
    shownOf: rows.length,
  };
}

export function moduleIn(row: Row): PlacedModule {
  const { module_id: moduleId, constraint, target, unreadable, ...state } = storedState(row);
  const { reason, because } = state;
  const stuck = because ? lasting(because) : (reason ?? undefined);
  return {
    kind: String(row['kind']),
    name: String(row['name']),
    moduleId,
    constraint: constraint ?? undefined,
    deployed: state.deployed,
    target: target ?? undefined,
    decision: state.decision,
    reason: unreadable === undefined ? stuck : `what it reported cannot be read: ${unreadable}`,
    heldBy: state.held_by,
    stuckBy: because?.code,
    isHeldLong: state.held_over_a_week === true,
    stops: state.stops,
    facts: state.facts,
    failing: failureIn(row),
  };
}
