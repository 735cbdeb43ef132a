import { formatTime } from '../../core/text/rfc3339.ts';
import type { FailureGroup } from '../../registry/fleet-documents.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import { failureIn } from './failing-modules.ts';
import { IS_RETIRED } from './retirement.ts';
import { eachInSlices, type Slices } from './slices.ts';

/** Which failures are asked for. An absent field restricts nothing. */
interface FailureSearch {
  /** Only of the modules of this namespace (D369). */
  readonly namespace?: string | undefined;
  readonly module?: string | undefined;
  readonly version?: string | undefined;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

interface Failures {
  readonly failures: readonly FailureGroup[];
  /** How many groups are left out. */
  readonly left_out: number;
}

interface Failure {
  readonly machine: string;
  readonly moduleId: string;
  readonly version: string;
  readonly blame: string;
  readonly reason: string | null;
  /** When the registry heard of it; undefined for what is tried again now. */
  readonly at: number | undefined;
}

const MOST_GROUPS = 200;
const MOST_NAMED = 20;
/** So many outcomes are read, the newest first: a token can report failures without end (T252). */
const MOST_READ = 20_000;

/**
 * The failures that machines reported since, and what they try again now, in groups of a reason (D185). Numbers in a reason, such as a process or a size,
 * make no other group. Those of most machines first.
 */
export function* fleetFailures(sql: Statements, search: FailureSearch): Slices<Failures> {
  const groups = new Map<string, Failure[]>();
  const add = (one: Failure): void => {
    const reason = one.reason?.replaceAll(/\d+/g, '0') ?? '';
    const key = [one.moduleId, one.version, one.blame, reason].join('\0');
    const known = groups.get(key);
    if (known) known.push(one);
    else groups.set(key, [one]);
  };
  const { module = null, version = null, since } = search;
  const prefix = search.namespace === undefined ? '' : `${search.namespace}:`;
  const ended = sql.iterate(ENDED, since, module, version, MOST_READ, prefix);
  yield* eachInSlices(ended, (row) => add(endedFailure(row)));
  const retried = sql.iterate(RETRIED, module, version, MOST_READ, prefix);
  yield* eachInSlices(retried, (row) => add(retriedFailure(row)));
  const all = Array.from(groups.values(), groupOf).toSorted((a, b) => b.machines - a.machines);
  const failures = all.slice(0, MOST_GROUPS);
  return { failures, left_out: all.length - failures.length };
}

const ENDED = `SELECT name, module_id, version, received_at, content
  FROM outcomes JOIN machines ON machines.id = machine
  WHERE received_at > ?1 AND result = 'failed' AND module_id = coalesce(?2, module_id) AND version = coalesce(?3, version)
    AND substr(module_id, 1, length(?5)) = ?5
  ORDER BY received_at DESC LIMIT ?4`;
const RETRIED = `SELECT machines.name AS name, failing_id, failing_version, blame, failure
  FROM failing_modules JOIN machines ON machines.id = machine
  WHERE blame = 'machine' AND failing_id = coalesce(?1, failing_id) AND failing_version = coalesce(?2, failing_version)
    AND substr(failing_id, 1, length(?4)) = ?4
    AND NOT (${IS_RETIRED}) LIMIT ?3`;

function endedFailure(row: Row): Failure {
  const { reason, undecided } = Object(storedJson(row['content']));
  return {
    machine: String(row['name']),
    moduleId: String(row['module_id']),
    version: String(row['version']),
    blame: undecided === true ? 'undecided' : 'release',
    reason: typeof reason === 'string' ? reason : null,
    at: Number(row['received_at']),
  };
}

function retriedFailure(row: Row): Failure {
  return {
    machine: String(row['name']),
    moduleId: String(row['failing_id']),
    version: String(row['failing_version']),
    blame: String(row['blame']),
    reason: failureIn(row)?.reason ?? null,
    at: undefined,
  };
}

/** The first failure is the last one that happened. */
function groupOf(failures: readonly Failure[]): FailureGroup {
  const [{ moduleId, version, blame, reason, at } = NOTHING] = failures;
  const names = [...new Set(failures.map(({ machine }) => machine))];
  return {
    module_id: moduleId,
    version,
    blame,
    reason,
    last_at: at === undefined ? null : formatTime(at),
    machines: names.length,
    first_machines: names.slice(0, MOST_NAMED),
  };
}

const NOTHING: Failure = {
  machine: '',
  moduleId: '',
  version: '',
  blame: '',
  reason: null,
  at: undefined,
};
