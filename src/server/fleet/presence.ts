import type { Row, Statements } from '../../sqlite/statements.ts';
import { IS_RETIRED } from './retirement.ts';

/**
 * Whether a machine is there (D186). `quiet`: not heard for three times the interval that it reports. `silent`: for as long as the registry
 * says, at least so long. A retired machine is in no other state.
 */
export type Presence = 'online' | 'quiet' | 'silent' | 'retired';

/** How many machines that are in use are in each state. */
export type PresenceCounts = Readonly<Record<Exclude<Presence, 'retired'>, number>>;

const DAY_MS = 86_400_000;
/** A machine that does not say how often it asks reports every 24 hours at the latest. */
const UNKNOWN_EVERY_MS = DAY_MS;
const MISSED = 3;
/** A contact is written once in so long: what is known of a machine that asks more often is older than its last request (D219). */
const WRITTEN_EVERY_MS = 60_000;
/** Clocks of fronts differ by less. A later time is that of a clock that was wrong: nothing is known of it. */
const LARGEST_AHEAD_MS = 300_000;

/** When a machine was last heard, by a report or another request; undefined if no time before `now` is known. */
export function heardAt(row: Row, now: number): number | undefined {
  const times = [Number(row['seen_at']), Number(row['contact_at'] ?? 0)];
  const known = times.filter((time) => time > 0 && time <= now + LARGEST_AHEAD_MS);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The state of a row of `machines`. */
export function presenceIn(row: Row, now: number, silentMs: number): Presence {
  if ((row['retired_at'] ?? null) !== null) return 'retired';
  const last = heardAt(row, now);
  const age = last === undefined ? Infinity : now - last;
  const everyMs = Number(row['every_ms'] ?? UNKNOWN_EVERY_MS);
  const quietMs = MISSED * Math.max(everyMs, WRITTEN_EVERY_MS);
  if (age <= quietMs) return 'online';
  return age <= silentMs ? 'quiet' : 'silent';
}

/** The states of machines that are not heard, and may be asked for. */
export const UNHEARD = ['silent', 'quiet'] as const;
export type Unheard = (typeof UNHEARD)[number];

const time = (column: string): string => `iif(${column} > 0 AND ${column} <= ?, ${column}, 0)`;
/** How long ago a row was last heard. A row that never was is older than any other. */
const AGE = `(? - max(${time('seen_at')}, ${time('contact_at')}))`;
const QUIET_MS = `${MISSED} * max(coalesce(every_ms, ${UNKNOWN_EVERY_MS}), ${WRITTEN_EVERY_MS})`;
const SILENT_MS = `coalesce((SELECT silent_ms FROM presence), ${DAY_MS})`;

/** Whether a row of `machines` that is in use is in this state, as `presenceIn` says it (D218). */
export function whereUnheard(
  presence: Unheard,
  now: number,
): { readonly where: string; readonly values: readonly number[] } {
  const latest = now + LARGEST_AHEAD_MS;
  const age = [now, latest, latest];
  const compared = presence === 'silent' ? '>' : '<=';
  return {
    where: `(${AGE} > ${QUIET_MS} AND ${AGE} ${compared} ${SILENT_MS})`,
    values: [...age, ...age],
  };
}

/** For how long a machine is not heard before it is silent. */
export function silentAfter(sql: Statements): number {
  return Number(sql.get('SELECT silent_ms FROM presence')?.['silent_ms'] ?? DAY_MS);
}

/** Changes it, for all that read the file. */
export function setSilentAfter(sql: Statements, silentMs: number): void {
  sql.run('UPDATE presence SET silent_ms = ?', silentMs);
}

export function presenceCounts(sql: Statements, now: number): PresenceCounts {
  const silentMs = silentAfter(sql);
  const counts = { online: 0, quiet: 0, silent: 0, retired: 0 };
  for (const row of sql.iterate(MACHINES)) counts[presenceIn(row, now, silentMs)]++;
  const { retired: _retired, ...inUse } = counts;
  return inUse;
}

const MACHINES = `SELECT seen_at, contact_at, every_ms FROM machines WHERE NOT (${IS_RETIRED})`;

/** Notes when machines were heard. What is not known has never reported, and is not counted. */
export function noteContacts(sql: Statements, machines: readonly string[], at: number): void {
  for (const machine of machines) {
    sql.run('UPDATE machines SET contact_at = ? WHERE name = ?', at, machine);
  }
}
