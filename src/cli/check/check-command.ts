import type { DocumentKind, UpdatePolicy } from '../../config/index.ts';
import { basename } from 'node:path';
import { checkDocument } from '../../config/read-document.ts';
import { checkedAsJson, formatChecked, type CheckedFile } from './check-report.ts';
import { readDocumentFile } from './document-file.ts';
import { POLICY, readPolicyFor, type PolicyFile } from './policy-file.ts';
import type { Outcome } from '../problem.ts';
import type { World } from '../world.ts';

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
  const as = options.as ?? (basename(path) === POLICY ? 'policy' : undefined);
  const file = readDocumentFile(path);
  const policy = as === 'policy' ? NO_POLICY : readPolicyFor(path, options.policy);
  if (!file.ok || !policy.ok) {
    const problems = [...(file.ok ? [] : [file.error]), ...(policy.ok ? [] : [policy.error])];
    return { answer: [], notes: [], problems };
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
  const isRefused = ({ report: { errors, warnings } }: CheckedFile): boolean =>
    errors > 0 || (options.strict === true && warnings > 0);
  return {
    answer: options.json ? [checkedAsJson(checked, files)] : formatChecked(checked, files),
    notes: [],
    problems: [],
    ending: files.some(isRefused) ? 'no' : undefined,
  };
}

const NO_POLICY = { ok: true, value: undefined } as const;

function inForce(policy: PolicyFile | undefined): UpdatePolicy | 'unreadable' | undefined {
  if (!policy) return undefined;
  return policy.reading.ok ? policy.reading.value : 'unreadable';
}
