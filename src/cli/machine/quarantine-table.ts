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
    excerpt(entry.reason),
  ]);
  const line = columnsOf(HEADS, cells);
  return [line(HEADS), ...cells.map(line)];
}

function untilText({ until, digest, rolledBack }: QuarantineEntry, now: number): string {
  if (until !== undefined) return until <= now ? 'expired' : formatTime(until);
  if (rolledBack) return 'an operator lifts it, or a newer release';
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
  };
}
