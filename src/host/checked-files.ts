import { basename } from 'node:path';
import type { CheckResult, DocumentKind, DocumentProblem, UpdatePolicy } from '../config/index.ts';
import { checkDocument } from '../config/read-document.ts';
import type { Report } from '../config/report.ts';
import type { Result } from '../core/index.ts';
import type { ErrorKind, WarningKind } from '../base/codes.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { readDocumentFile, type DocumentFile } from './document-file.ts';
import { POLICY, readPolicyFor, type PolicyFile } from './policy-file.ts';

/** How a document is checked. */
export interface CheckTerms {
  readonly as?: DocumentKind;
  readonly policy?: string;
  /** Whether the variables that it names must be set. */
  readonly env?: true;
}

/** A file, and the problems found in it. */
export interface CheckedFile {
  readonly path: string;
  readonly report: CheckedReport;
}

/** The problems of a document, and those of its module entries that release lists show. */
export interface CheckedReport extends Pick<Report, 'errors' | 'warnings'> {
  /** At most 50, in the order of the document. */
  readonly problems: readonly CheckedProblem[];
}

/** A problem with its place in a document. */
export type CheckedProblem = Omit<DocumentProblem, 'severity' | 'kind'> &
  (
    | { readonly severity: 'error'; readonly kind: ErrorKind }
    | { readonly severity: 'warning'; readonly kind: WarningKind }
  );

/** A document after its check, which is the first of the files, and its policy, the second. */
export interface CheckedDocument {
  readonly checked: CheckResult;
  readonly files: readonly CheckedFile[];
  /** What was read. */
  readonly sources: { readonly document: DocumentFile; readonly policy: DocumentFile | undefined };
}

/** Checks the document at `path` against its policy. The error: files that cannot be read. */
export function checkedFiles(
  path: string,
  options: CheckTerms,
  world: World,
): Result<CheckedDocument, Problem[]> {
  const as = options.as ?? (basename(path) === POLICY ? 'policy' : undefined);
  const file = readDocumentFile(path);
  const now = world.clock();
  const policy = as === 'policy' ? NO_POLICY : readPolicyFor(path, options.policy, { now });
  if (!file.ok || !policy.ok) {
    const problems = [...(file.ok ? [] : [file.error]), ...(policy.ok ? [] : [policy.error])];
    return { ok: false, error: problems };
  }
  const checked = checkDocument(file.value.bytes, as, {
    policy: inForce(policy.value),
    environment: options.env ? world.environment : undefined,
    mode: file.value.mode,
    now,
  });
  // A policy is checked alone, even with another policy.json beside it.
  const against = checked.kind === 'policy' ? undefined : policy.value;
  const files: CheckedFile[] = [
    { path, report: checked },
    ...(against ? [{ path: against.path, report: against.reading }] : []),
  ];
  const sources = { document: file.value, policy: against?.file };
  return { ok: true, value: { checked, files, sources } };
}

const NO_POLICY = { ok: true, value: undefined } as const;

function inForce(policy: PolicyFile | undefined): UpdatePolicy | 'unreadable' | undefined {
  if (!policy) return undefined;
  return policy.reading.ok ? policy.reading.value : 'unreadable';
}
