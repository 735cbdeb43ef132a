import type { Statements } from '../../sqlite/statements.ts';
import { HAS_PIN } from './reported-pin.ts';
import { IS_RETIRED } from './retirement.ts';
import { DUPLICATE_MS } from './take-report.ts';

const DAY_MS = 86_400_000;

/** How many machines there are, and how many a registry heard of in the last 24 hours. */
export interface MachineCounts {
  readonly machines: number;
  readonly seen: number;
  /** Those that are retired, which count nowhere else. */
  readonly retired: number;
  /** Ids under which two machines report. */
  readonly duplicates: number;
  /** Those whose policy names no trust document, as far as they reported (D177). */
  readonly unpinned: number;
}

export function machineCounts(sql: Statements, now: number): MachineCounts {
  const count = (where: string, ...values: readonly number[]): number =>
    Number(sql.get(`SELECT count(*) AS n FROM machines WHERE ${where}`, ...values)?.['n']);
  return {
    machines: count(IN_USE),
    seen: count(`seen_at > ? AND ${IN_USE}`, now - DAY_MS),
    retired: count(IS_RETIRED),
    duplicates: count(`duplicate_at > ? AND ${IN_USE}`, now - DUPLICATE_MS),
    unpinned: count(`NOT (${HAS_PIN}) AND ${IN_USE}`),
  };
}

/** Whether a row of `machines` counts. */
export const IN_USE = `NOT (${IS_RETIRED})`;
