import { parseVersion } from '../../core/index.ts';
import type { Hold } from '../../core/decision/timing-policies.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { heardAt, presenceIn, silentAfter, type Presence } from './presence.ts';
import { refusingIds, type Refusals } from './refusals.ts';
import { wrongClocks } from './reported-clock.ts';
import { COUNTED_STATES, IS_RETIRED } from './retirement.ts';
import { eachInSlices, type Slices } from './slices.ts';
import { HELD_BY, IS_BEHIND } from './state-conditions.ts';

/** Numbers of a fleet, for metrics. Only the versions are what machines said, and their number is bounded (D210). */
export interface FleetNumbers {
  readonly machines: Readonly<Record<Presence, number>>;
  /** By the version of modreg: those of most machines, `unknown`, and `other`. */
  readonly versions: ReadonlyMap<string, number>;
  /** When the machine in use that has not reported for longest did so; undefined if there is none. */
  readonly oldestReportAt: number | undefined;
  /** Machines that refuse documents of the registry (D450, D480, D481). */
  readonly refusing: number;
  /** Machines whose clock needs attention (D461). */
  readonly wrongClocks: number;
  /** Modules whose target is not deployed. */
  readonly behind: number;
  /** Modules for which nothing can be selected. */
  readonly stuck: number;
  /** Modules whose replacement is held, by the first reason. */
  readonly held: Readonly<Record<HoldLabel, number>>;
  /** Modules of which something fails, by whose fault it is. */
  readonly failing: Readonly<Record<Blame, number>>;
}

/** `unknown`: an earlier modreg does not report it. */
type HoldLabel = Hold['reason'] | 'unknown' | 'other';
type Blame = 'machine' | 'release' | 'undecided' | 'other';

/** So many versions have a line of their own. */
export const MOST_VERSIONS = 20;
/** A longer version is no line. */
const LONGEST_VERSION = 64;

const NO_HOLDS: Readonly<Record<HoldLabel, number>> = {
  'window-closed': 0,
  blackout: 0,
  'maintenance-not-allowed': 0,
  veto: 0,
  'server-busy': 0,
  'restart-cooldown': 0,
  'restart-ceiling': 0,
  'operator-hold': 0,
  'unknown-field': 0,
  'downgrade-not-allowed': 0,
  unknown: 0,
  other: 0,
};

/** The numbers of a fleet at `now`, of which some machines refuse documents. */
export function* fleetNumbers(
  sql: Statements,
  now: number,
  refusals: Refusals,
): Slices<FleetNumbers> {
  const machines = yield* machineNumbers(sql, now);
  const modules = yield* moduleNumbers(sql);
  const failing = { machine: 0, release: 0, undecided: 0, other: 0 };
  for (const { blame, n } of sql.all(FAILING)) failing[labelIn(failing, blame)] += Number(n);
  const refusing = refusingIds(sql, refusals).length;
  return { ...machines, ...modules, failing, refusing, wrongClocks: wrongClocks(sql).length };
}

function* machineNumbers(
  sql: Statements,
  now: number,
): Slices<Pick<FleetNumbers, 'machines' | 'versions' | 'oldestReportAt'>> {
  const silentMs = silentAfter(sql);
  const machines = { online: 0, quiet: 0, silent: 0, retired: 0 };
  const versions = new Map<string, number>();
  let oldestReportAt: number | undefined;
  yield* eachInSlices(sql.iterate(MACHINES), (row) => {
    const presence = presenceIn(row, now, silentMs);
    machines[presence] += 1;
    if (presence === 'retired') return;
    const version = versionIn(row);
    versions.set(version, (versions.get(version) ?? 0) + 1);
    // A time that a wrong clock wrote says nothing.
    const at = heardAt({ seen_at: row['seen_at'] ?? null }, now);
    if (at !== undefined) oldestReportAt = Math.min(oldestReportAt ?? at, at);
  });
  return { machines, versions: mostCommon(versions), oldestReportAt };
}

/** What a machine reports is a line only in the form of a version. */
function versionIn({ modreg }: Row): string {
  if (typeof modreg !== 'string') return 'unknown';
  return modreg.length <= LONGEST_VERSION && parseVersion(modreg).ok ? modreg : 'other';
}

function mostCommon(versions: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const named = [...versions].filter(([version]) => version !== 'unknown' && version !== 'other');
  const byNumber = named.toSorted(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
  const left = byNumber.slice(MOST_VERSIONS).reduce((sum, [, n]) => sum + n, 0);
  return new Map([
    ...byNumber.slice(0, MOST_VERSIONS),
    ['unknown', versions.get('unknown') ?? 0],
    ['other', (versions.get('other') ?? 0) + left],
  ]);
}

function* moduleNumbers(sql: Statements): Slices<Pick<FleetNumbers, 'behind' | 'stuck' | 'held'>> {
  let [behind, stuck] = [0, 0];
  const held = { ...NO_HOLDS };
  yield* eachInSlices(sql.iterate(STATES), (row) => {
    const modules = Number(row['counted']);
    if (row['behind'] === 1) behind += modules;
    if (row['decision'] === 'stuck') stuck += modules;
    if (row['decision'] !== 'hold') return;
    held[row['held_by'] === null ? 'unknown' : labelIn(held, row['held_by'])] += modules;
  });
  return { behind, stuck, held };
}

function labelIn<Label extends string>(
  counts: Readonly<Record<Label | 'other', number>>,
  found: unknown,
): Label | 'other' {
  const isLabel = (label: string): label is Label => Object.hasOwn(counts, label);
  return typeof found === 'string' && isLabel(found) ? found : 'other';
}

const MACHINES = 'SELECT seen_at, contact_at, every_ms, retired_at, modreg FROM machines';
const STATES = `SELECT decision, counted, ${IS_BEHIND} AS behind, ${HELD_BY} AS held_by FROM ${COUNTED_STATES}`;
const FAILING = `SELECT blame, count(*) AS n FROM failing_modules
  WHERE machine NOT IN (SELECT id FROM machines WHERE ${IS_RETIRED}) GROUP BY blame`;
