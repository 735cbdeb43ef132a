import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { excerpt } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import { OUTBOUND_FILE, waitingReports } from '../reports/outbound-file.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import type { MachineFile } from '../store/index.ts';

/** Since when the reports of a machine wait, and why; undefined if they do not. Throws a DatabaseError if that cannot be read. */
export function reportsWaiting(home: string): string | undefined {
  const path = join(home, OUTBOUND_FILE);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    const waiting = waitingReports(path);
    if (!waiting) return undefined;
    const { since, because } = waiting;
    return `its reports wait since ${formatTime(since)}: ${excerpt(because, 400)}`;
  } catch (error) {
    // The file of an earlier modreg, which the next report upgrades, does not say it.
    if (error instanceof DatabaseError && error.kind === 'missing') return undefined;
    throw error;
  }
}

/** The same as a note; none if that cannot be read, which `modreg doctor` says. */
export function waitingNotes({ path }: MachineFile): string[] {
  try {
    const waiting = reportsWaiting(dirname(path));
    return waiting === undefined ? [] : [`note: ${waiting}; modreg doctor says what to do`];
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  }
}
