import { parseModuleId, type ModuleId, type Result } from '../../core/index.ts';
import type { Rollout, RolloutConflict } from '../../core/rollout/rollout.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { unlessDamaged } from '../../sqlite/stored-value.ts';
import {
  RELEASE_COLUMNS,
  artifactsIn,
  moduleIn,
  releaseIn,
  releaseRow,
  type ModuleRow,
  type ReleaseRow,
} from './module-row.ts';
import { isWithdrawn, setYanked } from './release-table.ts';
import type { NewRolloutEvent } from './rollout-event.ts';
import { appendEvent, rolloutIn, type ReleaseKey, type StoredRollout } from './rollout-table.ts';

/**
 * Why an event is not written. `visible`: machines could already select the release, so a rollout would come too late. `yanked`: when
 * the release is unyanked, its rollout must not go on by itself (T164, T220). `same-step`: it would begin the soak of the step again.
 */
export type RolloutRefusal =
  RolloutConflict | 'unknown-module' | 'unknown-version' | 'visible' | 'yanked' | 'same-step';

/** The rollout of a published release, without its name. */
export interface RolloutOfRelease extends StoredRollout {
  /** The platforms that the release has artifacts for; undefined if it lists none, and runs on all. */
  readonly platforms: readonly string[] | undefined;
  /** Why the release is yanked, `''` without a reason; undefined if it is not. */
  readonly yanked: string | undefined;
}

/** The rollout of a published release. */
export interface NamedRollout extends RolloutOfRelease {
  readonly moduleId: ModuleId;
  readonly version: string;
}

/** A rollout of which a row is damaged, so that its state is not known. */
export interface DamagedRollout {
  readonly moduleId: ModuleId;
  readonly version: string;
  /** The row, and what is wrong with it, in one escaped line. */
  readonly found: string;
}

/** Rollouts by module and version. A damaged one does not hide the others (T207). */
export interface FoundRollouts {
  readonly rollouts: readonly NamedRollout[];
  readonly damaged: readonly DamagedRollout[];
}

/** The staged rollouts of a catalogue. */
export interface CatalogueRollouts {
  /** The rollout of a release; undefined if it never had one. */
  readonly of: (
    moduleId: ModuleId,
    version: string,
  ) => Result<RolloutOfRelease | undefined, 'unknown-module' | 'unknown-version'>;
  /** All rollouts. */
  readonly all: () => FoundRollouts;
  /** The platforms that a published release has artifacts for; undefined if it lists none. */
  readonly platforms: (moduleId: ModuleId, version: string) => readonly string[] | undefined;
}

export function catalogueRollouts(sql: Statements): CatalogueRollouts {
  return {
    of(moduleId, version) {
      const at = found(sql, moduleId, version);
      return at.ok ? { ok: true, value: rolloutOf(sql, at.value.release) } : at;
    },
    all: () => allRollouts(sql),
    platforms(moduleId, version) {
      const at = found(sql, moduleId, version);
      return at.ok ? platformsIn(sql, at.value.release) : undefined;
    },
  };
}

/**
 * Appends an event to the rollout of a release. It starts only for a yanked release, which is unyanked. The caller has a transaction.
 */
export function writeRollout(
  sql: Statements,
  { moduleId, version }: { readonly moduleId: ModuleId; readonly version: string },
  event: NewRolloutEvent,
  soakMs: number | undefined,
): Result<RolloutOfRelease, RolloutRefusal> {
  const at = found(sql, moduleId, version);
  return at.ok ? written(sql, at.value, event, soakMs) : at;
}

interface Found {
  readonly module: ModuleRow;
  readonly release: ReleaseRow;
  readonly key: ReleaseKey;
}

function found(
  sql: Statements,
  moduleId: ModuleId,
  version: string,
): Result<Found, 'unknown-module' | 'unknown-version'> {
  const module = moduleIn(sql, moduleId);
  if (!module) return { ok: false, error: 'unknown-module' };
  const release = releaseIn(sql, module, version);
  if (!release) return { ok: false, error: 'unknown-version' };
  const key = { module: module.id, release: release.id };
  return { ok: true, value: { module, release, key } };
}

function written(
  sql: Statements,
  { module, release, key }: Found,
  event: NewRolloutEvent,
  soakMs: number | undefined,
): Result<RolloutOfRelease, RolloutRefusal> {
  const known = rolloutIn(sql, key.release)?.rollout;
  const isStart = event.kind === 'started' && !known;
  const refusal = known ? refusalAfter(known, event, release) : refusalOfFirst(event, release);
  if (refusal) return { ok: false, error: refusal };
  const applied = appendEvent(sql, key, event, soakMs);
  if (!applied.ok) return applied;
  if (isStart) setYanked(sql, module, release, { reason: null, now: event.at });
  const stored = rolloutOf(sql, isStart ? { ...release, yanked: null } : release);
  return stored ? { ok: true, value: stored } : { ok: false, error: 'not-started' };
}

/** Machines may have a release that is not yanked, and what they have does not become part of a rollout (D55). */
function refusalOfFirst({ kind }: NewRolloutEvent, release: ReleaseRow): 'visible' | undefined {
  return kind === 'started' && !isWithdrawn(release) ? 'visible' : undefined;
}

const ONWARD: ReadonlySet<NewRolloutEvent['kind']> = new Set(['raised', 'resumed', 'completed']);

/** What the events of the rollout do not say. Files may have events that are refused here: an earlier modreg wrote them. */
function refusalAfter(
  { sequence, status, percent, share, groups }: Rollout,
  event: NewRolloutEvent,
  release: ReleaseRow,
): 'yanked' | 'same-step' | undefined {
  const isOpen = status === 'running' || status === 'halted';
  if (event.after !== sequence || !isOpen) return undefined;
  if (ONWARD.has(event.kind) && isWithdrawn(release)) return 'yanked';
  if (event.kind !== 'raised' || status === 'halted') return undefined;
  const isSameGroup = percent > 0 || (event.groups ?? 0) === groups.length;
  return event.percent === percent && event.share === share && isSameGroup
    ? 'same-step'
    : undefined;
}

function allRollouts(sql: Statements): FoundRollouts {
  const rollouts: NamedRollout[] = [];
  const damaged: DamagedRollout[] = [];
  const rows = sql.all(
    `SELECT ${RELEASE_COLUMNS}, namespace || ':' || name AS module
     FROM releases JOIN modules ON modules.id = releases.module
     WHERE releases.id IN (SELECT release FROM rollout_events) ORDER BY namespace, name, releases.id`,
  );
  for (const row of rows) {
    const moduleId = parseModuleId(row['module']);
    if (!moduleId.ok) continue;
    const named = { moduleId: moduleId.value, version: String(row['version']) };
    const rollout = unlessDamaged(() => rolloutOf(sql, releaseRow(row, sql)));
    if (!rollout.ok) damaged.push({ ...named, found: rollout.error.message });
    else if (rollout.value) rollouts.push({ ...named, ...rollout.value });
  }
  return { rollouts, damaged };
}

function rolloutOf(sql: Statements, release: ReleaseRow): RolloutOfRelease | undefined {
  const stored = rolloutIn(sql, release.id);
  const yanked = release.yanked ?? undefined;
  return stored && { ...stored, platforms: platformsIn(sql, release), yanked };
}

function platformsIn(sql: Statements, release: ReleaseRow): readonly string[] | undefined {
  return artifactsIn(sql, release)?.map(({ platform }) => platform);
}
