import type { Court } from './court.ts';

const STARTS_WITHIN_MS = 600_000;
const MOST_STARTS = 5;

/** The row by which nothing may be done now, and why; undefined where something may. */
export function restraint({ ledger, moment }: Court): [row: string, why: string] | undefined {
  const { wall } = moment();
  const recent = ledger.starts.filter((at) => Math.abs(wall - at) < STARTS_WITHIN_MS);
  if (recent.length >= MOST_STARTS) return ['T57', `${recent.length} starts within ten minutes`];
  if (!ledger.isBlank || ledger.hasLooked) return undefined;
  return ['T53', 'nothing was known, and it acts without having looked once'];
}
