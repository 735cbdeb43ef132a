import { basename } from 'node:path';
import type { CheckResult, DocumentKind, UpdatePolicy } from '../config/index.ts';
import { checkDocument, placesIn, readMachine } from '../config/read-document.ts';
import type { Result } from '../core/index.ts';
import { jsonPointer } from '../core/text/json-pointer.ts';
import { quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { withFound, type CheckedProblem, type CheckedReport } from './checked-report.ts';
import { readDocumentFile, type DocumentFile } from './document-file.ts';
import { misspeltNames } from './misspelt-names.ts';
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
    ...(against ? [policyFile(against, file.value, checked)] : []),
  ];
  const sources = { document: file.value, policy: against?.file };
  return { ok: true, value: { checked, files, sources } };
}

/** A policy after its check, with the names in it that no entry of the document has (D242). */
function policyFile(
  { path, file, reading }: PolicyFile,
  document: DocumentFile,
  { kind: of }: CheckResult,
): CheckedFile {
  if (!reading.ok || of !== 'machine') return { path, report: reading };
  const machine = readMachine(document.bytes, { policy: reading.value, unknownFields: 'warn' });
  if (!machine.ok) return { path, report: reading };
  const place = placesIn(file.bytes);
  const hint = undefined;
  const found = misspeltNames(machine.value, reading.value).map(
    ({ name, suggestion }): CheckedProblem => {
      const at = ['modules', name];
      const { line, column } = place(at, 'key');
      const message = `${quote(name)} ${IS_NOTHING}`;
      const [severity, kind] = ['warning', 'unknown-reference'] as const;
      return { severity, kind, path: jsonPointer(at), line, column, message, suggestion, hint };
    },
  );
  return { path, report: withFound(reading, found) };
}

const IS_NOTHING = 'is not a module entry or a subsystem of this machine';
const NO_POLICY = { ok: true, value: undefined } as const;

function inForce(policy: PolicyFile | undefined): UpdatePolicy | 'unreadable' | undefined {
  if (!policy) return undefined;
  return policy.reading.ok ? policy.reading.value : 'unreadable';
}
