import type { Result } from '../../core/index.ts';
import { applyEvent, type Rollout, type RolloutConflict } from '../../core/rollout/rollout.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { wholeIn } from '../../sqlite/stored-row.ts';
import { touch } from './module-row.ts';
import { damagedEvent, storedEvent, type NewRolloutEvent } from './rollout-event.ts';

/** The rollout of a release. */
export interface StoredRollout {
  readonly rollout: Rollout;
  /** How long each step lasts at least, in milliseconds. */
  readonly soakMs: number;
}

/** A release, by the ids of its rows. */
export interface ReleaseKey {
  readonly module: number;
  readonly release: number;
}

const EVENTS = `SELECT sequence, module, release, ${wholeIn('after')}, ${wholeIn('at')}, kind, content FROM rollout_events`;

/** The rollout of a release; undefined if it never had one. */
export function rolloutIn(sql: Statements, release: number): StoredRollout | undefined {
  return folded(sql.all(`${EVENTS} WHERE release = ? ORDER BY sequence`, release), sql.path);
}

/** The rollouts of a module, by the ids of their releases. */
export function rolloutsIn(sql: Statements, module: number): ReadonlyMap<number, StoredRollout> {
  const rows = sql.all(`${EVENTS} WHERE module = ? ORDER BY sequence`, module);
  const found = new Map<number, StoredRollout>();
  for (const [release, events] of Map.groupBy(rows, (row) => Number(row['release']))) {
    const stored = folded(events, sql.path);
    if (stored) found.set(release, stored);
  }
  return found;
}

/**
 * Appends an event, which raises the generation of the module. The caller has a transaction, in which nothing is changed if the
 * result is a conflict (D54).
 */
export function appendEvent(
  sql: Statements,
  { module, release }: ReleaseKey,
  event: NewRolloutEvent,
  soakMs?: number,
): Result<Rollout, RolloutConflict> {
  const before = rolloutIn(sql, release)?.rollout;
  const known = Number(sql.get('SELECT sequence FROM catalogue')?.['sequence']);
  const applied = applyEvent(before, { ...event, sequence: known + 1 });
  if (!applied.ok) return applied;
  const { after, at, kind, ...content } = event;
  sql.run(
    'INSERT INTO rollout_events (sequence, module, release, after, at, kind, content) VALUES (?, ?, ?, ?, ?, ?, ?)',
    touch(sql, module),
    module,
    release,
    after,
    at,
    kind,
    JSON.stringify({ ...content, ...(soakMs === undefined ? {} : { soakMs }) }),
  );
  return applied;
}

/** Halts the rollout of a release if it is running. The caller has a transaction. */
export function haltRunning(
  sql: Statements,
  key: ReleaseKey,
  { because, at }: { readonly because: string; readonly at: number },
): void {
  const rollout = rolloutIn(sql, key.release)?.rollout;
  if (rollout?.status !== 'running') return;
  const after = rollout.sequence;
  // Not for a failure, and the file of reports may be another one by the time that it is resumed.
  const failures = { failed: 0, silent: 0 };
  appendEvent(sql, key, { kind: 'halted', after, at, because, failures });
}

/** Halts all rollouts that are running (D56). The caller has a transaction. */
export function haltAll(
  sql: Statements,
  halt: { readonly because: string; readonly at: number },
): void {
  for (const { module, release } of sql.all(
    'SELECT DISTINCT module, release FROM rollout_events',
  )) {
    haltRunning(sql, { module: Number(module), release: Number(release) }, halt);
  }
}

/** The state after all events of one release. Throws a DatabaseError if they are not a log that modreg writes (T200). */
function folded(rows: readonly Row[], path: string): StoredRollout | undefined {
  let rollout: Rollout | undefined;
  let soakMs = 0;
  for (const row of rows) {
    const { event, soakMs: soak = soakMs } = storedEvent(row, path);
    const applied = applyEvent(rollout, event);
    if (!applied.ok) {
      const why = `${event.kind} cannot follow the row before it: ${applied.error}`;
      throw damagedEvent(row, path, undefined, why);
    }
    rollout = applied.value;
    soakMs = soak;
  }
  return rollout && { rollout, soakMs };
}
