import type { MachineReport } from '../../registry/machine-report.ts';
import type { Statements } from '../../sqlite/statements.ts';

/** The newest outcomes of a machine are kept: its queue has no more either (T250). */
const MOST_KEPT = 10_000;

/** Adds outcomes of a machine, and deletes its oldest above MOST_KEPT. Those of a queue that the file has already change nothing. */
export function keepOutcomes(
  sql: Statements,
  machine: number,
  { queue, outcomes, at }: Pick<MachineReport, 'queue' | 'outcomes'> & { readonly at: number },
): void {
  if (outcomes.length === 0) return;
  for (const { number, ...outcome } of outcomes) {
    const { module_id: moduleId, to, result } = outcome;
    const content = JSON.stringify(outcome);
    sql.run(INSERT, machine, queue, number, at, moduleId, to, result, content);
  }
  // Triggers count what is kept.
  const row = sql.get('SELECT outcomes FROM machines WHERE id = ?', machine);
  const tooMany = Number(row?.['outcomes']) - MOST_KEPT;
  if (tooMany > 0) sql.run(DELETE_OLDEST, machine, tooMany);
}

/** A machine may return to an earlier queue, whose numbers begin again (T247). */
const INSERT = `INSERT INTO outcomes (machine, queue, number, received_at, module_id, version, result, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const DELETE_OLDEST = `DELETE FROM outcomes WHERE (machine, queue, number) IN
  (SELECT machine, queue, number FROM outcomes WHERE machine = ? ORDER BY received_at, queue, number LIMIT ?)`;
