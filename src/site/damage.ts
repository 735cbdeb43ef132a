import { quote } from '../core/text/quote.ts';
import type { Finding } from '../server/backup/catalogue-check.ts';
import { artifactFolder } from '../server/artifacts/artifact-store.ts';
import type { Problem } from '../base/problem.ts';

const MOST_FINDINGS = 50;

/** The problem `what`, with a line for each finding. */
export function damageProblem(what: string, findings: readonly Finding[], hint?: string): Problem {
  const shown = findings.slice(0, MOST_FINDINGS);
  const more = findings.length - shown.length;
  const because = more > 0 ? [...shown, `… ${more} more`] : shown;
  return { severity: 'error', kind: 'damaged', message: what, because, hint };
}

/** What repairs damaged or missing hosted files of the registry at `path`. Only over HTTP must a damaged one be removed first. */
export function repairOfFiles(path: string): string {
  const folder = quote(`${artifactFolder(path)}/sha256`);
  return `remove a damaged file from ${folder}, then publish its release again with --upload`;
}
