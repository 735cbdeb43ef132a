import type { Finding } from '../../server/backup/catalogue-check.ts';
import type { Problem } from '../problem.ts';

const MOST_FINDINGS = 50;

/** The problem `what`, then one for each finding. */
export function damageProblems(
  what: string,
  findings: readonly Finding[],
  hint?: string,
): Problem[] {
  const shown = findings.slice(0, MOST_FINDINGS);
  const more = findings.length - shown.length;
  const because = more > 0 ? [...shown, `… ${more} more`] : shown;
  return [{ severity: 'error', kind: 'damaged', message: what, because, hint }];
}
