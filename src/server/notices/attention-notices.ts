import type { Statements } from '../../sqlite/statements.ts';
import { refusingIds, type Refusals } from '../fleet/refusals.ts';
import { wrongClocks } from '../fleet/reported-clock.ts';
import type { Notice } from '../notice.ts';
import { aboutMachines } from './machine-notices.ts';
import { addNoticed, removeNoticed } from './notice-table.ts';

/** The machines that refuse documents of the registry (D450), and those whose clock needs attention (D461), of which it is so since the last look (D481). */
export function attentionNotices(
  sql: Statements,
  known: ReadonlySet<string>,
  refusals: Refusals,
): Notice[] {
  const refusing = noteBegun(sql, known, {
    beginning: 'machine-refusing ',
    machines: refusingIds(sql, refusals),
  });
  const wrong = noteBegun(sql, known, {
    beginning: 'machine-wrong-clock ',
    machines: wrongClocks(sql),
  });
  const codes = [...new Set(refusing.flatMap((id) => refusals.get(id)?.code ?? []))].toSorted();
  return [
    ...aboutMachines('machine-refusing', refusing, `documents are refused: ${codes.join(', ')}`),
    ...aboutMachines('machine-wrong-clock', wrong, 'the clock is more than 5 min off'),
  ];
}

/** Notes the machines of which something is so, with keys that begin like this, and returns those of which it was not so before. */
function noteBegun(
  sql: Statements,
  known: ReadonlySet<string>,
  { beginning, machines }: { readonly beginning: string; readonly machines: readonly string[] },
): string[] {
  const now = new Set(machines.map((id) => beginning + id));
  for (const key of known) {
    if (key.startsWith(beginning) && !now.has(key)) removeNoticed(sql, key);
  }
  const begun = machines.filter((id) => !known.has(beginning + id));
  for (const id of begun) addNoticed(sql, beginning + id);
  return begun;
}
