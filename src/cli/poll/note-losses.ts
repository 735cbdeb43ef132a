import { excerpt } from '../../core/text/quote.ts';
import type { ClaimedFile } from '../../store/index.ts';
import type { PollReport } from './poll-report.ts';

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
