import type { Statements } from '../../sqlite/statements.ts';

/** A machine that an operator retires. */
export interface Retirement {
  readonly machine: string;
  /** Who does it. */
  readonly by: string;
}

/** A machine that is retired: when, and who did it. */
export interface RetiredMachine extends Retirement {
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** Whether a row of `machines` is out of counts and rollouts, until the machine reports again (D83). */
export const IS_RETIRED = 'retired_at IS NOT NULL';

/**
 * Retires a machine at the time `at`, and returns how it is retired now: one that is retired already stays as it is. Undefined if it never
 * reported.
 */
export function retire(
  sql: Statements,
  { machine, by }: Retirement,
  at: number,
): RetiredMachine | undefined {
  sql.run(
    `UPDATE machines SET retired_at = ?, retired_by = ? WHERE name = ? AND NOT (${IS_RETIRED})`,
    at,
    by,
    machine,
  );
  const known = retirementOf(sql, machine);
  return known === 'in-use' ? undefined : known;
}

/** How a machine is retired; `in-use` if it is not, and undefined if it never reported. */
export function retirementOf(
  sql: Statements,
  machine: string,
): RetiredMachine | 'in-use' | undefined {
  const row = sql.get('SELECT retired_at, retired_by FROM machines WHERE name = ?', machine);
  if (!row) return undefined;
  const { retired_at: at, retired_by: by } = row;
  return at === null ? 'in-use' : { machine, at: Number(at), by: String(by) };
}

/** The rows of `states`, with `counted` in place of `machines`: those that are not retired. States that only retired machines have are left out. */
export const COUNTED_STATES = `(SELECT states.*, machines - coalesce(gone, 0) AS counted FROM states LEFT JOIN
    (SELECT state, count(*) AS gone FROM placements
      WHERE machine IN (SELECT id FROM machines WHERE ${IS_RETIRED}) GROUP BY state) ON state = states.id
  WHERE machines > coalesce(gone, 0))`;
