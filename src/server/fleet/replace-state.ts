import { hash } from 'node:crypto';
import { parseTime } from '../../core/text/rfc3339.ts';
import type { ReportedModule, ReportedState } from '../../registry/machine-report.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { keepFailing } from './failing-modules.ts';
import type { SharedState, StateCounts } from './state-counts.ts';

/** The tables, and the counts that are written after the last report. */
export interface StateTables {
  readonly sql: Statements;
  readonly counts: StateCounts;
}

interface Placement {
  readonly state: number;
  readonly digest: string;
}

export function placementsOf(sql: Statements, machine: number): Map<string, Placement> {
  const rows = sql.all(
    `SELECT kind, name, state, digest FROM placements JOIN states ON states.id = state WHERE machine = ?`,
    machine,
  );
  return new Map(
    rows.map(({ kind, name, state, digest }) => [
      `${String(kind)} ${String(name)}`,
      { state: Number(state), digest: Buffer.from(digest as Uint8Array).toString('hex') },
    ]),
  );
}

/** Replaces what a machine reported before, where it differs. It was received at `at`. */
export function replaceState(
  { sql, counts }: StateTables,
  machine: number,
  { state, at }: { readonly state: ReportedState; readonly at: number },
): void {
  const before = placementsOf(sql, machine);
  for (const module of state.modules) {
    const { kind, name } = module;
    const key = `${kind} ${name}`;
    const { content, digest } = sharedOf(module, state.platform);
    const known = before.get(key);
    before.delete(key);
    if (known?.digest === digest) continue;
    sql.run(PLACE, machine, kind, name, counts.share({ ...shownOf(module), digest, content }));
    if (known) counts.release(known.state);
  }
  for (const [key, { state: left }] of before) {
    const [kind = '', ...name] = key.split(' ');
    sql.run(
      'DELETE FROM placements WHERE machine = ? AND kind = ? AND name = ?',
      machine,
      kind,
      name.join(' '),
    );
    counts.release(left);
  }
  sql.run(
    'UPDATE machines SET state_number = ?, platform = ?, modreg = ?, group_name = ?, every_ms = ?, pinned = ?, clock_ahead_ms = ?, synchronized = ? WHERE id = ?',
    state.number,
    state.platform,
    state.modreg,
    state.group ?? null,
    state.every_ms ?? null,
    state.pinned ? 1 : null,
    aheadMs(state.at, at),
    state.synchronized === undefined ? null : Number(state.synchronized),
    machine,
  );
  keepFailing(sql, machine, state.modules);
}

/** How far the clock of a machine is ahead: it writes its state when it sends it (D460). */
function aheadMs(said: string, at: number): number | null {
  const time = parseTime(said);
  return time.ok ? time.value - at : null;
}

const PLACE = `INSERT INTO placements VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET state = excluded.state`;

function shownOf({
  module_id: moduleId,
  deployed,
  decision,
}: ReportedModule): Omit<SharedState, 'digest' | 'content'> {
  return { moduleId, deployed, decision };
}

type Shared = Pick<SharedState, 'content' | 'digest'>;

/** By module and platform: modules that are the same are one object (D432). */
const SHARED = new WeakMap<ReportedModule, Map<string, Shared>>();

function sharedOf(module: ReportedModule, platform: string): Shared {
  const byPlatform = SHARED.get(module) ?? new Map<string, Shared>();
  SHARED.set(module, byPlatform);
  const known = byPlatform.get(platform);
  if (known) return known;
  const content = contentOf(module, platform);
  const shared = { content, digest: hash('sha256', content, 'hex') };
  byPlatform.set(platform, shared);
  return shared;
}

/** What is the same for many machines, as JSON. */
function contentOf(
  { kind: _kind, name: _name, failing: _failing, ...content }: ReportedModule,
  platform: string,
): string {
  return JSON.stringify({ platform, ...content });
}
