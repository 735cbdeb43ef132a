import type { Row, Statements } from '../../sqlite/statements.ts';

/** Whether the policy of a machine names a trust document, as it reported last (D177, D406, D441): of a row of `machines`. */
export const HAS_PIN = 'pinned IS NOT NULL';

/** The same of a row that was read. */
export function hasPin({ pinned = null }: Row): boolean {
  return pinned !== null;
}

/** The same of the machine with this id. One that has never reported has reported no pin. */
export function hasReportedPin(sql: Statements, machine: string): boolean {
  return sql.get(`SELECT 1 FROM machines WHERE name = ? AND ${HAS_PIN}`, machine) !== undefined;
}
