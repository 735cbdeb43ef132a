import * as v from 'valibot';
import {
  storedFailing,
  type FailingModule,
  type ReportedModule,
} from '../../registry/machine-report.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { storedJson } from '../../sqlite/stored-value.ts';
import { IS_RETIRED } from './retirement.ts';

/*
 * What fails on which machine (D184). It differs from machine to machine, so it is none of the states that they share. A trigger
 * removes what an earlier state of a machine said.
 */

/** Adds what fails on a machine whose state was just replaced. */
export function keepFailing(
  sql: Statements,
  machine: number,
  modules: readonly ReportedModule[],
): void {
  for (const { kind, name, module_id: moduleId, failing } of modules) {
    if (!failing) continue;
    const { version, blame } = failing;
    sql.run(INSERT, machine, kind, name, moduleId, version, blame, JSON.stringify(failing));
  }
}

const INSERT = 'INSERT INTO failing_modules VALUES (?, ?, ?, ?, ?, ?, ?)';

/** Adds `failure` to rows of placements, which `failureIn` reads. */
export const WITH_FAILURE = 'LEFT JOIN failing_modules USING (machine, kind, name)';

/** What fails, from a row with `failure`; undefined if nothing does. Of a damaged row, only the version and the blame are known. */
export function failureIn(row: Row): FailingModule | undefined {
  const { failure = null, failing_version: version, blame } = row;
  if (failure === null) return undefined;
  const content = storedJson(failure);
  if (v.is(storedFailing, content)) return content;
  return { version: String(version), blame: String(blame), reason: null, next_at: null };
}

/** On how many machines a version of a module fails, and whose fault that is. */
export interface FailingCount {
  readonly module_id: string;
  readonly version: string;
  readonly blame: string;
  readonly machines: number;
}

/** Of the machines that are in use. A token can report modules without end (T252): those of most machines are counted. */
export function failingCounts(sql: Statements, most: number): readonly FailingCount[] {
  return sql
    .all(COUNTS, most)
    .map((row) => ({
      module_id: String(row['failing_id']),
      version: String(row['failing_version']),
      blame: String(row['blame']),
      machines: Number(row['machines']),
    }));
}

const COUNTS = `SELECT * FROM
    (SELECT failing_id, failing_version, blame, count(DISTINCT machine) AS machines FROM failing_modules
      WHERE machine NOT IN (SELECT id FROM machines WHERE ${IS_RETIRED})
      GROUP BY failing_id, failing_version, blame
      ORDER BY machines DESC, failing_id, failing_version, blame LIMIT ?)
  ORDER BY failing_id, failing_version, blame`;

/** The machines that try a release again, because it could not be installed for a reason of theirs. */
export function retryingMachines(
  sql: Statements,
  moduleId: string,
  version: string,
): ReadonlySet<number> {
  const rows = sql.all(RETRYING, moduleId, version);
  return new Set(rows.map(({ machine }) => Number(machine)));
}

const RETRYING = `SELECT machine FROM failing_modules
  WHERE failing_id = ? AND failing_version = ? AND blame = 'machine'`;
