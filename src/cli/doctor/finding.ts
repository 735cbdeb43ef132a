/** What is checked, in the order of the report. */
export type CheckName =
  | 'system'
  | 'home'
  | 'clock'
  | 'documents'
  | 'registry'
  | 'poller'
  | 'lists'
  | 'modules'
  | 'releases';

/** `info`: nothing is wrong, and something could not be checked or is worth knowing. */
type FindingSeverity = 'ok' | 'info' | 'warning' | 'error';

/** What a check has found. */
export interface Finding {
  readonly check: CheckName;
  readonly severity: FindingSeverity;
  /** One line, escaped. */
  readonly found: string;
  /** What to do: a command or an edit, in one escaped line; undefined if nothing is to be done. */
  readonly fix: string | undefined;
}

/** The findings of one check: each function makes one. */
export interface Findings {
  readonly ok: (found: string) => Finding;
  readonly info: (found: string, fix?: string) => Finding;
  readonly warning: (found: string, fix: string) => Finding;
  readonly error: (found: string, fix: string) => Finding;
}

export function findingsOf(check: CheckName): Findings {
  const one =
    (severity: FindingSeverity) =>
    (found: string, fix?: string): Finding => ({ check, severity, found, fix });
  return { ok: one('ok'), info: one('info'), warning: one('warning'), error: one('error') };
}

/** The most findings of one kind that are shown. */
const MOST = 10;

/** The first ten findings, and one for the others that says where they are. */
export function firstFindings(findings: readonly Finding[], rest: string): Finding[] {
  const [first] = findings;
  const more = findings.length - MOST;
  if (!first || more <= 0) return [...findings];
  return [...findings.slice(0, MOST), { ...first, found: `… and ${more} more`, fix: rest }];
}
