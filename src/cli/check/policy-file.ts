import type { DocumentResult, UpdatePolicy } from '../../config/index.ts';
import { dirname, join } from 'node:path';
import { readUpdatePolicy } from '../../config/read-document.ts';
import type { Result } from '../../core/index.ts';
import { isThere, readDocumentFile, readRegularFile } from './document-file.ts';
import type { Problem } from '../problem.ts';

/** What an update policy is called where nobody names it. */
export const POLICY = 'policy.json';

/** The update policy of a machine, and the file that it was read from. */
export interface PolicyFile {
  readonly path: string;
  readonly reading: DocumentResult<UpdatePolicy>;
}

/** The policy that is `named`, or else the one beside the document at `path`, where it is. */
export function readPolicyFor(
  path: string,
  named: string | undefined,
): Result<PolicyFile | undefined, Problem> {
  const beside = join(dirname(path), POLICY);
  if (named === undefined && !isThere(beside)) return { ok: true, value: undefined };
  const file = named === undefined ? readRegularFile(beside) : readDocumentFile(named);
  if (!file.ok) return file;
  const reading = readUpdatePolicy(file.value.bytes);
  return { ok: true, value: { path: file.value.path, reading } };
}
