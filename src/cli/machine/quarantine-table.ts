import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import { describeTime, type TimeContext } from '../../core/text/time-words.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { untilText, whyText } from '../../host/requests/request-words.ts';
import { columnsOf } from '../base/columns.ts';

/** What stands above it: how a version gets out of it (D389). */
export const QUARANTINE_HEAD =
  'In quarantine (modreg quarantine lift MODULE VERSION lets one be selected again):';

const HEADS = ['MODULE', 'VERSION', 'SINCE', 'UNTIL', 'WHY'];

/** The lines of the quarantine table; none if nothing is in quarantine. */
export function quarantineTable(
  entries: readonly QuarantineEntry[],
  {
    times,
    columns,
  }: {
    /** How times are shown, by module_id. */
    readonly times: (moduleId: string) => TimeContext;
    readonly columns: number | undefined;
  },
): string[] {
  if (entries.length === 0) return [];
  const cells = entries.map((entry) => [
    entry.moduleId,
    entry.version,
    describeTime(entry.since, times(entry.moduleId)),
    untilText(entry, times(entry.moduleId)),
    excerpt(whyText(entry)) + alsoRefused(entry),
  ]);
  const line = columnsOf(HEADS, cells, columns);
  return [...line(HEADS), ...cells.flatMap(line)];
}

const NAMED = 3;

/** The other versions that a rollback refuses. */
function alsoRefused({ version, rolledBack }: QuarantineEntry): string {
  if (!rolledBack?.refused) {
    return rolledBack?.to ? `; every version above ${rolledBack.to.text} is refused with it` : '';
  }
  const others = [...rolledBack.refused].filter((text) => text !== version);
  const named = firstFew(others, NAMED).join(', ');
  return named === '' ? '' : `; refused with it: ${named}`;
}
