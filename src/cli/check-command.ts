import { dirname, join } from 'node:path';
import type { DocumentKind } from '../config/document-kind.ts';
import { checkDocument, readUpdatePolicy, type Reading } from '../config/read-document.ts';
import type { Result } from '../core/index.ts';
import type { UpdatePolicy } from '../core/update-policy.ts';
import { checkedAsJson, formatChecked, type CheckedFile } from './check-report.ts';
import { readDocumentFile, unreadableFile, type DocumentFile } from './document-file.ts';
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
  const file = readNamed(path);
  const policy = options.as === 'policy' ? NO_POLICY : readPolicy(path, options);
  if (!file.ok || !policy.ok) {
    const problems = [...(file.ok ? [] : [file.error]), ...(policy.ok ? [] : [policy.error])];
    return { answer: [], notes: [], problems };
  }
  const reading = policy.value?.reading;
  const checked = checkDocument(file.value.bytes, options.as, {
    policy: reading?.ok ? reading.value : undefined,
    environment: options.env ? world.environment : undefined,
    mode: file.value.mode,
  });
  // A policy stands for itself, whatever lies beside it.
  const judgedBy = checked.kind === 'policy' ? undefined : policy.value;
  const files: CheckedFile[] = [
    { path, report: checked },
    ...(judgedBy ? [{ path: judgedBy.path, report: judgedBy.reading }] : []),
  ];
  return {
    answer: options.json ? [checkedAsJson(checked, files)] : formatChecked(checked, files),
    notes: [],
    problems: [],
    answersNo: files.some(
      ({ report: { errors, warnings } }) => errors > 0 || (options.strict && warnings > 0),
    ),
  };
}

const NO_POLICY = { ok: true, value: undefined } as const;

function readNamed(path: string): Result<DocumentFile, Problem> {
  const file = readDocumentFile(path);
  if (!file.ok) return file;
  if (file.value) return { ok: true, value: file.value };
  return { ok: false, error: unreadableFile(path, 'ENOENT') };
}

/** The policy that is named, or else `policy.json` beside the document, where it is. */
function readPolicy(
  path: string,
  { policy: named }: CheckOptions,
): Result<PolicyFile | undefined, Problem> {
  const file =
    named === undefined ? readDocumentFile(join(dirname(path), 'policy.json')) : readNamed(named);
  if (!file.ok || !file.value) return file.ok ? NO_POLICY : file;
  return {
    ok: true,
    value: { path: file.value.path, reading: readUpdatePolicy(file.value.bytes) },
  };
}
