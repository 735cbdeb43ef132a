import { compareVersions, parseVersion } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { ModuleOutcomes, OutcomeGroup } from '../../registry/fleet-documents.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import { failureIn } from './failing-modules.ts';
import { IS_RETIRED } from './retirement.ts';
import { eachInSlices, type Slices } from './slices.ts';

/** Whose outcomes are asked for. */
interface OutcomeSearch {
  readonly moduleId: string;
  /** All versions if it is absent. */
  readonly version?: string | undefined;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

type Kind = OutcomeGroup['outcome'];

/** What a machine says of a version. */
interface Said {
  readonly outcome: Kind;
  readonly version: string;
  readonly reason: string | null;
  /** When the registry heard of it; undefined for what is so now. */
  readonly at: number | undefined;
}

interface Group {
  last: Said;
  readonly platform: string | null;
  readonly group: string | null;
  readonly machines: Set<string>;
}

const MOST_GROUPS = 200;
const MOST_NAMED = 20;
/** So many outcomes are read: a token can report outcomes without end (T252). */
const MOST_READ = 100_000;
const ORDER: readonly Kind[] = ['running', 'failed', 'undecided', 'retrying', 'rolled-back'];

/**
 * Which machines run a module, and where it failed, is tried again or was rolled back since, by version, platform, group and reason (D367). Numbers in
 * a reason make no other group. The newest versions first.
 */
export function* moduleOutcomes(sql: Statements, search: OutcomeSearch): Slices<ModuleOutcomes> {
  const { moduleId, version, since } = search;
  const groups = new Map<string, Group>();
  const add = (row: Row, said: Said | undefined): void => {
    if (said && (version === undefined || said.version === version)) addTo(groups, row, said);
  };
  yield* eachInSlices(sql.iterate(RUNNING, moduleId), (row) => add(row, runningIn(row)));
  yield* eachInSlices(sql.iterate(RETRIED, moduleId, MOST_READ), (row) => add(row, retriedIn(row)));
  let read = 0;
  yield* eachInSlices(sql.iterate(ENDED, moduleId, since), (row) => {
    if (row['content'] === null || read === MOST_READ) return;
    read += 1;
    add(row, endedIn(row));
  });
  const all = [...groups.values()].toSorted(inOrder);
  const outcomes = all.slice(0, MOST_GROUPS).map(shown);
  return { module_id: moduleId, outcomes, left_out: all.length - outcomes.length };
}

const RUNNING = `SELECT machines.name AS name, platform, group_name, deployed
  FROM states JOIN placements ON state = states.id JOIN machines ON machines.id = machine
  WHERE module_id = ? AND deployed NOT IN ('none', 'unknown') AND NOT (${IS_RETIRED})`;
const RETRIED = `SELECT machines.name AS name, platform, group_name, failing_version, blame, failure
  FROM failing_modules JOIN machines ON machines.id = machine
  WHERE failing_id = ? AND blame = 'machine' AND NOT (${IS_RETIRED}) LIMIT ?`;
/**
 * All outcomes of the module, in the order of an index: nothing is sorted, and no part of the search takes long. Most are installations, or
 * too old: they have no content here.
 */
const ENDED = `SELECT machines.name AS name, platform, group_name, version, received_at, result,
    CASE WHEN received_at > ?2 AND (result = 'failed' OR result = 'done' AND content LIKE '%"direction":"rollback"%')
      THEN content END AS content
  FROM outcomes INDEXED BY outcomes_by_release CROSS JOIN machines ON machines.id = machine
  WHERE module_id = ?1
  ORDER BY version DESC, result DESC, received_at DESC`;

function runningIn(row: Row): Said {
  return { outcome: 'running', version: String(row['deployed']), reason: null, at: undefined };
}

function retriedIn(row: Row): Said {
  const reason = failureIn(row)?.reason ?? null;
  return { outcome: 'retrying', version: String(row['failing_version']), reason, at: undefined };
}

/** A rollback is an outcome of the version that it left. Undefined for a damaged row. */
function endedIn(row: Row): Said | undefined {
  const { from, reason, undecided } = Object(storedJson(row['content']));
  const at = Number(row['received_at']);
  if (row['result'] === 'failed') {
    const outcome = undecided === true ? 'undecided' : 'failed';
    const why = typeof reason === 'string' ? reason : null;
    return { outcome, version: String(row['version']), reason: why, at };
  }
  if (typeof from !== 'string') return undefined;
  return { outcome: 'rolled-back', version: from, reason: null, at };
}

/** The last outcome of a group gives its time and reason. Rollbacks come in the order of the version that they led to. */
function addTo(groups: Map<string, Group>, row: Row, said: Said): void {
  const [platform, group] = [textOrNull(row['platform']), textOrNull(row['group_name'])];
  const reason = said.reason?.replaceAll(/\d+/g, '0') ?? null;
  const key = JSON.stringify([said.version, said.outcome, platform, group, reason]);
  const known = groups.get(key) ?? { last: said, platform, group, machines: new Set<string>() };
  known.machines.add(String(row['name']));
  if ((said.at ?? 0) > (known.last.at ?? 0)) known.last = said;
  groups.set(key, known);
}

function textOrNull(value: Row[string] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The newest version first, and those that are none last. */
function inOrder({ last: a, ...one }: Group, { last: b, ...other }: Group): number {
  const [first, second] = [parseVersion(a.version), parseVersion(b.version)];
  const byVersion =
    first.ok && second.ok
      ? compareVersions(second.value, first.value)
      : Number(second.ok) - Number(first.ok) || a.version.localeCompare(b.version);
  const byOutcome = ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome);
  return byVersion || byOutcome || other.machines.size - one.machines.size;
}

function shown({ last, platform, group, machines }: Group): OutcomeGroup {
  const { version, outcome, reason, at } = last;
  return {
    version,
    outcome,
    platform,
    group,
    reason,
    last_at: at === undefined ? null : formatTime(at),
    machines: machines.size,
    first_machines: [...machines].slice(0, MOST_NAMED),
  };
}
