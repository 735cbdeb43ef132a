import type { Statements } from '../../sqlite/statements.ts';
import { machineCounts, type MachineCounts } from './machine-counts.ts';
import { countMachines, type Condition } from './machine-queries.ts';
import { presenceCounts, type PresenceCounts } from './presence.ts';
import { refusingIds, type Refusals } from './refusals.ts';
import { wrongClocks } from './reported-clock.ts';

/** How many machines of a site are in which condition. */
export interface SiteTotals extends MachineCounts {
  /** Those with a module for which nothing can be selected. */
  readonly stuck: number;
  /** Those with a module whose target is not deployed yet. */
  readonly behind: number;
  /** Those on which something fails (D184). */
  readonly failing: number;
  /** Those that refuse the documents of their site (D450), also if they have never reported (D480). */
  readonly refusing: number;
  /** Those whose clock needs attention (D461, D481). */
  readonly wrongClocks: number;
  readonly presence: PresenceCounts;
}

export function siteTotals(sql: Statements, now: number, refusals: Refusals): SiteTotals {
  const having = (condition: Condition): number => countMachines(sql, { condition, after: '' });
  const [stuck, behind, failing] = [having('stuck'), having('behind'), having('failing')];
  const presence = presenceCounts(sql, now);
  const refusing = refusingIds(sql, refusals).length;
  const wrong = wrongClocks(sql).length;
  const counts = machineCounts(sql, now);
  return { ...counts, stuck, behind, failing, refusing, wrongClocks: wrong, presence };
}
