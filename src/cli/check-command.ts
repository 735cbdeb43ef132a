import { basename, dirname, join } from 'node:path';
import type { DocumentKind } from '../config/document-kind.ts';
import { checkDocument, readUpdatePolicy, type Reading } from '../config/read-document.ts';
import type { Result } from '../core/index.ts';
import type { UpdatePolicy } from '../core/update-policy.ts';
import { checkedAsJson, formatChecked, type CheckedFile } from './check-report.ts';
import { isThere, readDocumentFile, readRegularFile } from './document-file.ts';
import type { Outcome, Problem } from './problem.ts';
import type { World } from './world.ts';

export interface CheckOptions {
  readonly as?: DocumentKind;
  readonly policy?: string;
  readonly env?: true;
  readonly strict?: true;
  readonly json?: true;
}

/** The update policy of a machine, and the file that it was read from. */
interface PolicyFile {
  readonly path: string;
  readonly reading: Reading<UpdatePolicy>;
}

/** `modreg check <file>`: everything that is wrong with a document. */
export function checkCommand(path: string, options: CheckOptions, world: World): Outcome {
  const as = options.as ?? (basename(path) === POLICY ? 'policy' : undefined);
  const file = readDocumentFile(path);
  const policy = as === 'policy' ? NO_POLICY : readPolicy(path, options);
  if (!file.ok || !policy.ok) {
    const problems = [...(file.ok ? [] : [file.error]), ...(policy.ok ? [] : [policy.error])];
    return { answer: [], notes: [], problems };
  }
  const checked = checkDocument(file.value.bytes, as, {
    policy: inForce(policy.value),
    environment: options.env ? world.environment : undefined,
    mode: file.value.mode,
  });
  // A policy stands for itself, whatever lies beside it.
  const judgedBy = checked.kind === 'policy' ? undefined : policy.value;
  const files: CheckedFile[] = [
    { path, report: checked },
    ...(judgedBy ? [{ path: judgedBy.path, report: judgedBy.reading }] : []),
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

/** What an update policy is called where nobody names it. */
const POLICY = 'policy.json';
const NO_POLICY = { ok: true, value: undefined } as const;

function inForce(policy: PolicyFile | undefined): UpdatePolicy | 'unreadable' | undefined {
  if (!policy) return undefined;
  return policy.reading.ok ? policy.reading.value : 'unreadable';
}

/** The policy that is named, or else the one beside the document, where it is. */
function readPolicy(
  path: string,
  { policy: named }: CheckOptions,
): Result<PolicyFile | undefined, Problem> {
  const beside = join(dirname(path), POLICY);
  if (named === undefined && !isThere(beside)) return NO_POLICY;
  const file = named === undefined ? readRegularFile(beside) : readDocumentFile(named);
  if (!file.ok) return file;
  const reading = readUpdatePolicy(file.value.bytes);
  return { ok: true, value: { path: file.value.path, reading } };
}
