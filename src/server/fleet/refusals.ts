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

/** Machines in use that refuse documents for the same reason. */
interface RefusingMachines {
  readonly code: string;
  readonly machines: number;
  /** The first of them by id. */
  readonly first_machines: readonly string[];
}

/** So many are named. */
const NAMED = 20;

/** The machines in use that refuse documents, by the code of their reason; those of most machines first. */
export function refusingMachines(sql: Statements, refusals: Refusals): RefusingMachines[] {
  const { where, values } = whereRefusing(refusals);
  const rows = sql.all(
    `SELECT name FROM machines WHERE ${where} AND ${IN_USE} ORDER BY name`,
    ...values,
  );
  const byCode = Map.groupBy(
    rows.map(({ name }) => String(name)),
    (name) => refusals.get(name)?.code ?? '',
  );
  return Array.from(byCode, ([code, names]) => ({
    code,
    machines: names.length,
    first_machines: names.slice(0, NAMED),
  })).toSorted((one, other) => other.machines - one.machines);
}
