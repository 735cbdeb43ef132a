import type { Row, Statements } from '../../sqlite/statements.ts';
import { IN_USE } from './machine-counts.ts';

/** What is known of the clock of a machine: as it was when the machine reported its state last (D460). */
export interface ReportedClock {
  /** How far it was ahead of the clock of the registry, in milliseconds; negative if it was behind. */
  readonly aheadMs: number;
  /** What the machine says of it; undefined if it does not know. */
  readonly isSynchronized: boolean | undefined;
}

/** The bound of the machine itself: clocks that differ by less agree (D57). */
const MOST_APART_MS = 5 * 60_000;

/** Whether a clock needs attention: windows, minimum ages and certificates are judged by it (D461). */
export function isWrongClock({ aheadMs }: ReportedClock): boolean {
  return Math.abs(aheadMs) > MOST_APART_MS;
}

/** The same of a row of `machines`. What two machines report by turns is the clock of neither. */
export const HAS_WRONG_CLOCK: string = `(duplicate_at IS NULL AND abs(clock_ahead_ms) > ${MOST_APART_MS})`;

/** The ids of the machines in use whose clock needs attention. */
export function wrongClocks(sql: Statements): string[] {
  const rows = sql.all(
    `SELECT name FROM machines WHERE ${HAS_WRONG_CLOCK} AND ${IN_USE} ORDER BY name`,
  );
  return rows.map(({ name }) => String(name));
}

/** The clock of a row of `machines`; undefined if none is known, because an earlier modreg took its state. */
export function clockIn(row: Row): ReportedClock | undefined {
  const { clock_ahead_ms: ahead = null, synchronized = null, duplicate_at: duplicateAt } = row;
  if (ahead === null || (duplicateAt ?? null) !== null) return undefined;
  const isSynchronized = synchronized === null ? undefined : synchronized === 1;
  return { aheadMs: Number(ahead), isSynchronized };
}
