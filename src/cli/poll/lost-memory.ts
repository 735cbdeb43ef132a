import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { excerpt, quote } from '../../core/text/quote.ts';
import { translated } from '../../sqlite/database.ts';
import { SET_ASIDE } from '../../store/claim.ts';
import type { ClaimedFile, MachineFile } from '../../store/index.ts';
import type { PollReport } from './poll-report.ts';

/**
 * Where a deployed version was recorded that the file has lost, in words: a file that was set aside, until it is removed, or a
 * damaged row. Undefined if nothing was lost.
 */
export function lostMemory({ path, sql }: Pick<MachineFile, 'path' | 'sql'>): string | undefined {
  const [folder, start] = [dirname(path), `${basename(path)}${SET_ASIDE}`];
  const names = translated(path, () => readdirSync(folder)).filter((name) =>
    name.startsWith(start),
  );
  const aside = names.find((name) => /^\d+$/.test(name.slice(start.length)));
  if (aside !== undefined) return quote(join(folder, aside));
  // Without an action it is not known what is deployed either (T90).
  const lost = sql.get(
    "SELECT 1 FROM damaged_rows WHERE row ->> '$.table' IN ('deployed', 'actions') LIMIT 1",
  );
  return lost && `a damaged row of ${quote(path)}`;
}

/** Prints what was damaged in `machine.db` when it was opened. */
export function noteLosses({ lostRows, setAside }: ClaimedFile, report: PollReport): void {
  for (const lost of lostRows) report.note('warn', `${lost} (machine.db, damaged_rows)`);
  if (!setAside) return;
  const { because, path } = setAside;
  report.note(
    'warn',
    `${because}; it is now ${excerpt(path)}, and a new file was created: deployed versions, quarantines and rollbacks are forgotten`,
  );
}
