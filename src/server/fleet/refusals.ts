import type { RefusedDocuments } from '../../registry/config-documents.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { IN_USE } from './machine-counts.ts';

/** The machines that said last that they refuse documents of their site (D450), by their ids. */
export type Refusals = ReadonlyMap<string, RefusedDocuments>;

/** Whether a row of `machines` is one of them. */
export function whereRefusing(refusals: Refusals): {
  readonly where: string;
  readonly values: readonly string[];
} {
  return {
    where: 'name IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify([...refusals.keys()])],
  };
}

/** Machines that refuse documents for the same reason. */
interface RefusingMachines {
  readonly code: string;
  readonly machines: number;
  /** The first of them by id. */
  readonly first_machines: readonly string[];
}

/** So many are named. */
const NAMED = 20;

/** The ids of the machines that refuse documents: of those in use, and of those that have never reported (D480). */
export function refusingIds(sql: Statements, refusals: Refusals): string[] {
  return idsIn(sql, refusals, IN_USE);
}

/** Those of them that have never reported. */
export function unreportedIds(sql: Statements, refusals: Refusals): string[] {
  return idsIn(sql, refusals, 'machines.id IS NULL');
}

function idsIn(sql: Statements, refusals: Refusals, where: string): string[] {
  if (refusals.size === 0) return [];
  const rows = sql.all(
    `SELECT value FROM json_each(?) LEFT JOIN machines ON name = value WHERE ${where} ORDER BY value`,
    JSON.stringify([...refusals.keys()]),
  );
  return rows.map(({ value }) => String(value));
}

/** The machines that refuse documents, by the code of their reason; those of most machines first. */
export function refusingMachines(sql: Statements, refusals: Refusals): RefusingMachines[] {
  const byCode = Map.groupBy(refusingIds(sql, refusals), (name) => refusals.get(name)?.code ?? '');
  return Array.from(byCode, ([code, names]) => ({
    code,
    machines: names.length,
    first_machines: names.slice(0, NAMED),
  })).toSorted((one, other) => other.machines - one.machines);
}
