import { parseModuleId, type ModuleId, type Result } from '../../core/index.ts';
import type { RolloutConflict } from '../../core/rollout/rollout.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { moduleIn, releaseIn, type ModuleRow } from './module-row.ts';
import { isWithdrawn, setYanked } from './release-table.ts';
import { platformsOf } from './published-release.ts';
import {
  appendEvent,
  rolloutIn,
  rolloutsIn,
  type NewRolloutEvent,
  type ReleaseKey,
  type StoredRollout,
} from './rollout-table.ts';

/** Why an event is not written. `visible`: machines could already select the release, so a rollout would come too late. */
export type RolloutRefusal = RolloutConflict | 'unknown-module' | 'unknown-version' | 'visible';

/** The rollout of a published release, without its name. */
export interface RolloutOfRelease extends StoredRollout {
  /** The platforms that the release has artifacts for; undefined if it lists none, and runs on all. */
  readonly platforms: readonly string[] | undefined;
}

/** The rollout of a published release. */
export interface NamedRollout extends RolloutOfRelease {
  readonly moduleId: ModuleId;
  readonly version: string;
}

/** The staged rollouts of a catalogue. */
export interface CatalogueRollouts {
  /** The rollout of a release; undefined if it never had one. */
  readonly of: (
    moduleId: ModuleId,
    version: string,
  ) => Result<RolloutOfRelease | undefined, 'unknown-module' | 'unknown-version'>;
  /** All rollouts, or those that are running, by module and version. */
  readonly all: (which?: 'running') => readonly NamedRollout[];
  /** The platforms that a published release has artifacts for; undefined if it lists none. */
  readonly platforms: (moduleId: ModuleId, version: string) => readonly string[] | undefined;
}

export function catalogueRollouts(sql: Statements): CatalogueRollouts {
  return {
    of(moduleId, version) {
      const at = found(sql, moduleId, version);
      return at.ok ? { ok: true, value: rolloutOf(sql, at.value.release) } : at;
    },
    all: (which) => allRollouts(sql).filter(({ rollout }) => !which || rollout.status === which),
    platforms(moduleId, version) {
      const at = found(sql, moduleId, version);
      return at.ok ? platformsIn(at.value.release) : undefined;
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
  readonly release: Row;
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
  const key = { module: module.id, release: Number(release['id']) };
  return { ok: true, value: { module, release, key } };
}

function written(
  sql: Statements,
  { module, release, key }: Found,
  event: NewRolloutEvent,
  soakMs: number | undefined,
): Result<RolloutOfRelease, RolloutRefusal> {
  const isStart = event.kind === 'started' && !rolloutIn(sql, key.release);
  // Machines may have it already, and what they have does not become part of a rollout (D55).
  if (isStart && !isWithdrawn(release)) return { ok: false, error: 'visible' };
  const applied = appendEvent(sql, key, event, soakMs);
  if (!applied.ok) return applied;
  if (isStart) setYanked(sql, module, release, { reason: null, now: event.at });
  const stored = rolloutOf(sql, release);
  return stored ? { ok: true, value: stored } : { ok: false, error: 'not-started' };
}

function allRollouts(sql: Statements): NamedRollout[] {
  const modules = sql.all(
    `SELECT id, namespace || ':' || name AS name FROM modules
     WHERE id IN (SELECT module FROM rollout_events) ORDER BY namespace, name`,
  );
  return modules.flatMap(({ id: module, name }) => {
    const moduleId = parseModuleId(name);
    if (!moduleId.ok) return [];
    const stored = [...rolloutsIn(sql, Number(module))];
    return stored.map(([release, rollout]) => {
      const row = sql.get('SELECT version, content FROM releases WHERE id = ?', release);
      const named = { moduleId: moduleId.value, version: String(row?.['version']) };
      return Object.assign(named, rollout, { platforms: row && platformsIn(row) });
    });
  });
}

function rolloutOf(sql: Statements, release: Row): RolloutOfRelease | undefined {
  const stored = rolloutIn(sql, Number(release['id']));
  return stored && { ...stored, platforms: platformsIn(release) };
}

function platformsIn({ content }: Row): readonly string[] | undefined {
  return platformsOf(JSON.parse(String(content)));
}
