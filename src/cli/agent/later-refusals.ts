import type { PlanDocuments } from '../../host/plan-documents.ts';
import type { PollReport } from '../poll/poll-report.ts';

/** Returns how to log what a later version of modreg refuses in the documents of the machine (D61): each warning once. */
export function noteLaterRefusals(
  report: Pick<PollReport, 'note'>,
): (documents: Pick<PlanDocuments, 'warnings'>) => void {
  const noted = new Set<string>();
  return ({ warnings }) => {
    for (const { kind, message, hint } of warnings) {
      if (kind !== 'secret-variable' || noted.has(message)) continue;
      noted.add(message);
      report.note('warn', `${message}; ${hint}`);
    }
  };
}
