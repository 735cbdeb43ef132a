import { countOf } from '../../base/count.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { excerpt } from '../../core/text/quote.ts';
import { say, type Said, type TimeContext } from '../../core/text/time-words.ts';
import { quarantineEnd, untilText } from './request-words.ts';

/** So many versions are named. */
const NAMED = 3;

/** What is in quarantine now, the newest first. */
export function quarantinedOf(
  moduleId: string,
  entries: readonly QuarantineEntry[],
  now: number,
): readonly QuarantineEntry[] {
  return entries
    .filter((one) => one.moduleId === moduleId && (one.until === undefined || one.until > now))
    .toSorted((a, b) => b.since - a.since);
}

/** What a person can do about versions in quarantine: a note for each (D389). */
export function liftNotes(entries: readonly QuarantineEntry[], times: TimeContext): string[] {
  const left = entries.length - NAMED;
  return [
    ...entries.slice(0, NAMED).map((entry) => {
      const version = excerpt(entry.version);
      const command = `modreg quarantine lift ${entry.moduleId} ${version}`;
      return `note: ${version} is in quarantine until ${untilText(entry, times)}; ${command} lets it be selected again`;
    }),
    ...(left > 0
      ? [`note: ${countOf(left, 'more version')} in quarantine: modreg quarantine list shows all`]
      : []),
  ];
}

/** The same on a page, beside a link that leads to the form: `1.2.8 is in quarantine until …`. */
export function quarantineWords(entries: readonly QuarantineEntry[]): Said[] {
  return entries
    .slice(0, NAMED)
    .map((entry) => say`${excerpt(entry.version)} is in quarantine until ${quarantineEnd(entry)}`);
}
