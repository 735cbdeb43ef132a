import type { Problem } from '../../base/problem.ts';
import type { PollReport } from './poll-report.ts';

/** Logs why a start uses the documents that were kept (T353): an operator must correct the files. */
export function noteKeptDocuments(
  problems: readonly Problem[],
  report: Pick<PollReport, 'note'>,
): void {
  if (problems.length === 0) return;
  const kept = 'the last documents without errors are used until they are corrected';
  for (const { message, because = [], hint } of problems) {
    const [first] = because;
    const why = first === undefined ? message : `${message}: ${first}`;
    report.note('error', [`${why}; ${kept}`, ...(hint === undefined ? [] : [hint])].join('; '));
  }
}

/** Logs why documents could not be kept for the next start. */
export function noteUnkept(problem: Problem | undefined, report: Pick<PollReport, 'note'>): void {
  if (problem) report.note('warn', problem.message);
}
