import type { Statements } from '../../sqlite/statements.ts';
import { IS_BEHIND } from './state-conditions.ts';
import { COUNTED_STATES } from './retirement.ts';

/** How many machines have a version of a module. */
export interface DeployedVersion {
  readonly moduleId: string;
  readonly version: string;
  readonly machines: number;
  readonly stuck: number;
  readonly behind: number;
}

/** The deployed versions of a module. Only the first are listed: a token can report others without end (T252). */
export interface DeployedVersions {
  readonly deployed: readonly DeployedVersion[];
  readonly deployedOf: number;
}

const MOST_VERSIONS = 100;

/** Those of most machines first. */
export function deployedVersions(sql: Statements, moduleId: string): DeployedVersions {
  const rows = sql.all(
    `SELECT deployed, sum(counted) AS machines, sum(counted * (decision = 'stuck')) AS stuck,
        sum(counted * (${IS_BEHIND})) AS behind, count(*) OVER () AS "of"
      FROM ${COUNTED_STATES} WHERE module_id = ? GROUP BY deployed ORDER BY machines DESC, deployed LIMIT ${MOST_VERSIONS}`,
    moduleId,
  );
  const deployed = rows.map((row) => ({
    moduleId,
    version: String(row['deployed']),
    machines: Number(row['machines']),
    stuck: Number(row['stuck']),
    behind: Number(row['behind']),
  }));
  return { deployed, deployedOf: Number(rows[0]?.['of'] ?? 0) };
}

/** The next modules that machines report, in the order of their ids. */
export function reportedModuleIds(sql: Statements, after: string, limit: number): string[] {
  const rows = sql.all(
    'SELECT DISTINCT module_id FROM states WHERE module_id > ? ORDER BY module_id LIMIT ?',
    after,
    limit,
  );
  return rows.map((row) => String(row['module_id']));
}
