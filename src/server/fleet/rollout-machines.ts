import { parseConstraint, parsePlatform, parseVersion, type ModuleId } from '../../core/index.ts';
import { isPublishedFor } from '../../core/releases/platform.ts';
import { compareVersions } from '../../core/version/version-order.ts';
import { mismatch } from '../../core/version/constraint.ts';
import type { Version } from '../../core/version/version.ts';
import type { RollingRelease } from '../catalogue/rollout-start.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { eachInSlices, type Slices } from './slices.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import { retryingMachines } from './failing-modules.ts';
import { storedState } from './stored-state.ts';
import type { RolloutMachine } from '../../core/rollout/tally.ts';

/** A machine that may get a release, as far as its reports tell. */
export type ReportingMachine = Omit<RolloutMachine, 'cohort'> & {
  readonly id: string;
  readonly isRetired: boolean;
  /** Whether it tries the release again, after a failure that is not the release's (D184). */
  readonly isRetrying: boolean;
};

/** What the machines with one state do about a release. */
interface StateOfRelease {
  readonly isDelivered: boolean;
  readonly isDeployed: boolean;
}

/**
 * The machines that may get a release through its rollout: their constraint accepts it, they have nothing newer, and it has an artifact
 * for their platform (D9). Pinned machines bypass the rollout, and are none of its machines.
 */
export function* rolloutMachines(
  sql: Statements,
  moduleId: ModuleId,
  { version, platforms }: RollingRelease,
): Slices<ReportingMachine[]> {
  const parsed = parseVersion(version);
  if (!parsed.ok) return [];
  const states = new Map<number, StateOfRelease>();
  const ofModule = sql.iterate('SELECT * FROM states WHERE module_id = ?', moduleId);
  yield* eachInSlices(ofModule, (row) => {
    const state = stateOf(row, parsed.value, platforms);
    if (state) states.set(Number(row['id']), state);
  });
  const retrying = retryingMachines(sql, moduleId, version);
  const outcomes = yield* outcomesOf(sql, moduleId, version);
  const found = new Map<number, ReportingMachine>();
  yield* eachInSlices(sql.iterate(PLACED, moduleId), (row) => {
    const state = states.get(Number(row['state']));
    const machine = Number(row['id']);
    const isKnown = found.get(machine)?.delivery !== undefined;
    if (!state || isKnown) return;
    const known = machineOf(row, state, outcomes.get(machine));
    found.set(machine, { ...known, isRetrying: retrying.has(machine) });
  });
  return [...found.values()];
}

const PLACED = `SELECT state, machines.id AS id, machines.name AS name, group_name, seen_at, retired_at
  FROM placements JOIN machines ON machines.id = placements.machine
  WHERE state IN (SELECT id FROM states WHERE module_id = ?)`;

/** Decisions that select a version and deliver nothing. */
const UNDELIVERED = new Set(['hold', 'stuck', 'disabled', 'local', 'keep']);

function stateOf(
  row: Row,
  version: Version,
  platforms: RollingRelease['platforms'],
): StateOfRelease | undefined {
  // An unreadable row has neither a constraint nor a platform (T266).
  const { constraint: text, target, decision, platform: named } = storedState(row);
  const constraint = parseConstraint(text);
  if (!constraint.ok || constraint.value.kind === 'patch') return undefined;
  if (mismatch(constraint.value, version) !== undefined) return undefined;
  const platform = parsePlatform(named);
  if (!platform.ok || !isPublishedFor(platforms, platform.value)) return undefined;
  const deployed = parseVersion(row['deployed']);
  if (deployed.ok && compareVersions(deployed.value, version) > 0) return undefined;
  const isDeployed = row['deployed'] === version.text;
  const isBegun = target === version.text && !UNDELIVERED.has(decision);
  return { isDeployed, isDelivered: isDeployed || isBegun };
}

interface Outcome {
  readonly at: number;
  readonly hasFailed: boolean;
  /** When its failure was last undecided; -Infinity if it never was. */
  readonly undecidedAt: number;
  /** When it was last done; -Infinity if it never was. */
  readonly doneAt: number;
}

/** A release that was undecided, and has run for so long since, works (D80). */
const PROVEN_MS = 3_600_000;

/** What each machine reported of a release: the first time, whether it ever failed, and when it was undecided or done. */
function* outcomesOf(
  sql: Statements,
  moduleId: ModuleId,
  version: string,
): Slices<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const rows = sql.iterate(
    `SELECT machine, received_at, result, iif(json_valid(content), content ->> '$.undecided', NULL) AS undecided
      FROM outcomes WHERE module_id = ? AND version = ?`,
    moduleId,
    version,
  );
  yield* eachInSlices(rows, ({ machine, received_at, result, undecided }) => {
    const known = outcomes.get(Number(machine));
    const at = Number(received_at);
    const isUndecided = result === 'failed' && undecided === 1;
    outcomes.set(Number(machine), {
      at: Math.min(known?.at ?? Infinity, at),
      hasFailed: known?.hasFailed === true || (result === 'failed' && !isUndecided),
      undecidedAt: Math.max(known?.undecidedAt ?? -Infinity, isUndecided ? at : -Infinity),
      doneAt: Math.max(known?.doneAt ?? -Infinity, result === 'done' ? at : -Infinity),
    });
  });
  return outcomes;
}

function machineOf(
  row: Row,
  { isDeployed, isDelivered }: StateOfRelease,
  outcome: Outcome | undefined,
): Omit<ReportingMachine, 'isRetrying'> {
  const heardAt = Number(row['seen_at']);
  const { name, group_name: group, retired_at: retiredAt } = row;
  const known = { id: String(name), group: textOf(group), heardAt, isRetired: retiredAt !== null };
  if (!isDelivered && !outcome) return { ...known, delivery: undefined };
  const { hasFailed = false, undecidedAt = -Infinity, doneAt = -Infinity } = outcome ?? {};
  const isHealthy = isDeployed || doneAt > -Infinity;
  // Both may come in one report.
  const isProven = isDeployed && doneAt >= undecidedAt && heardAt - doneAt >= PROVEN_MS;
  // A release that has failed stays failed, even if another attempt succeeds.
  const isFailed = hasFailed || (undecidedAt > -Infinity && !isProven);
  const result = isFailed ? 'failed' : isHealthy ? 'healthy' : undefined;
  return { ...known, delivery: { at: outcome?.at ?? heardAt, outcome: result } };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const SHOWN = 20;

/** The last machines on which a release failed, with the reasons that they reported. */
export function failuresOf(
  sql: Statements,
  moduleId: ModuleId,
  version: string,
): { readonly machine: string; readonly reason: string | null }[] {
  const rows = sql.all(
    `SELECT name, max(received_at) AS at, content FROM outcomes JOIN machines ON machines.id = machine
      WHERE module_id = ? AND version = ? AND result = 'failed' GROUP BY machine ORDER BY at DESC, name LIMIT ${SHOWN}`,
    moduleId,
    version,
  );
  return rows.map(({ name, content }) => {
    const { reason } = Object(storedJson(content));
    return { machine: String(name), reason: typeof reason === 'string' ? reason : null };
  });
}
