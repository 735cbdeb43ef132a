import type { CheckResult, DocumentKind, UpdatePolicy } from '../../config/index.ts';
import { basename } from 'node:path';
import { checkDocument } from '../../config/read-document.ts';
import type { Result } from '../../core/index.ts';
import { checkedAsJson, formatChecked, type CheckedFile } from './check-report.ts';
import { readDocumentFile } from '../../host/document-file.ts';
import { POLICY, readPolicyFor, type PolicyFile } from '../../host/policy-file.ts';
import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

export interface CheckOptions {
  readonly as?: DocumentKind;
  readonly policy?: string;
  readonly env?: true;
  readonly strict?: true;
  readonly json?: true;
}

/** `modreg check <files...>`: shows every problem in each document. */
export function checkCommand(
  paths: readonly string[],
  options: CheckOptions,
  world: World,
): Outcome {
  const outcomes = paths.map((path) => checkFile(path, options, world));
  return {
    answer: outcomes.flatMap(({ answer }) => answer),
    notes: [],
    problems: outcomes.flatMap(({ problems }) => problems),
    ending: outcomes.some(({ ending }) => ending === 'no') ? 'no' : undefined,
  };
}

function checkFile(path: string, options: CheckOptions, world: World): Outcome {
  const result = checkedFiles(path, options, world);
  if (!result.ok) return { answer: [], notes: [], problems: result.error };
  const { checked, files } = result.value;
  const isRefused = ({ report: { errors, warnings } }: CheckedFile): boolean =>
    errors > 0 || (options.strict === true && warnings > 0);
  return {
    answer: options.json ? [checkedAsJson(checked, files)] : formatChecked(checked, files),
    notes: [],
    problems: [],
    ending: files.some(isRefused) ? 'no' : undefined,
  };
}

/** A document after its check, which is the first of the files, and its policy, the second. */
export interface CheckedDocument {
  readonly checked: CheckResult;
  readonly files: readonly CheckedFile[];
}

/** Checks the document at `path` against its policy. The error: files that cannot be read. */
export function checkedFiles(
  path: string,
  options: CheckOptions,
  world: World,
): Result<CheckedDocument, Problem[]> {
  const as = options.as ?? (basename(path) === POLICY ? 'policy' : undefined);
  const file = readDocumentFile(path);
  const policy = as === 'policy' ? NO_POLICY : readPolicyFor(path, options.policy);
  if (!file.ok || !policy.ok) {
    const problems = [...(file.ok ? [] : [file.error]), ...(policy.ok ? [] : [policy.error])];
    return { ok: false, error: problems };
  }
  const checked = checkDocument(file.value.bytes, as, {
    policy: inForce(policy.value),
    environment: options.env ? world.environment : undefined,
    mode: file.value.mode,
  });
  // A policy is checked alone, even with another policy.json beside it.
  const against = checked.kind === 'policy' ? undefined : policy.value;
  const files: CheckedFile[] = [
    { path, report: checked },
    ...(against ? [{ path: against.path, report: against.reading }] : []),
  ];
  return { ok: true, value: { checked, files } };
}

const NO_POLICY = { ok: true, value: undefined } as const;

function inForce(policy: PolicyFile | undefined): UpdatePolicy | 'unreadable' | undefined {
  if (!policy) return undefined;
  return policy.reading.ok ? policy.reading.value : 'unreadable';
}
