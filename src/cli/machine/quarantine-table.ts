import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { columnsOf } from '../output/columns.ts';

const HEADS = ['MODULE', 'VERSION', 'SINCE', 'UNTIL', 'WHY'];

/** The lines of the quarantine table; none if nothing is in quarantine. */
export function quarantineTable(entries: readonly QuarantineEntry[], now: number): string[] {
  if (entries.length === 0) return [];
  const cells = entries.map((entry) => [
    entry.moduleId,
    entry.version,
    formatTime(entry.since),
    untilText(entry, now),
    excerpt(entry.reason) + alsoRefused(entry),
  ]);
  const line = columnsOf(HEADS, cells);
  return [line(HEADS), ...cells.map(line)];
}

const NAMED = 3;

/** The other versions that a rollback refuses. */
function alsoRefused({ version, rolledBack }: QuarantineEntry): string {
  if (!rolledBack?.refused) {
    return rolledBack?.to ? `; every version above ${rolledBack.to.text} is refused with it` : '';
  }
  const others = [...rolledBack.refused].filter((text) => text !== version);
  const rest = others.length - NAMED;
  const named = [...others.slice(0, NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return named === '' ? '' : `; refused with it: ${named}`;
}

function untilText({ until, digest }: QuarantineEntry, now: number): string {
  if (until !== undefined) return until <= now ? 'expired' : formatTime(until);
  return digest === undefined ? 'an operator lifts it' : 'an operator lifts it, or another digest';
}

export function quarantineAsJson({ rolledBack, ...entry }: QuarantineEntry): object {
  return {
    module_id: entry.moduleId,
    version: entry.version,
    digest: entry.digest ?? null,
    since: formatTime(entry.since),
    until: entry.until === undefined ? null : formatTime(entry.until),
    reason: entry.reason,
    rolled_back: rolledBack !== undefined,
    rolled_back_to: rolledBack?.to?.text ?? null,
    refused: rolledBack?.refused ? [...rolledBack.refused] : null,
  };
}
