import type { DocumentResult, UpdatePolicy } from '../config/index.ts';
import { dirname, join } from 'node:path';
import { readUpdatePolicy } from '../config/read-document.ts';
import type { Result } from '../core/index.ts';
import {
  existsAt,
  readDocumentFile,
  readRegularFile,
  STDIN,
  type DocumentFile,
} from './document-file.ts';
import type { Problem } from '../base/problem.ts';

/** The file name of the default update policy. */
export const POLICY = 'policy.json';

/** The update policy of a machine, and the path of its file. */
export interface PolicyFile {
  readonly path: string;
  readonly file: DocumentFile;
  readonly reading: DocumentResult<UpdatePolicy>;
}

/**
 * Reads the policy at `named`, else `policy.json` beside the document at `path`; undefined if there is none. Nothing is
 * beside a document from stdin.
 */
export function readPolicyFor(
  path: string,
  named: string | undefined,
  context: Parameters<typeof readUpdatePolicy>[1] = {},
): Result<PolicyFile | undefined, Problem> {
  const beside = join(dirname(path), POLICY);
  if (named === undefined && (path === STDIN || !existsAt(beside)))
    return { ok: true, value: undefined };
  const file = named === undefined ? readRegularFile(beside) : readDocumentFile(named);
  if (!file.ok) return file;
  const reading = readUpdatePolicy(file.value.bytes, context);
  return { ok: true, value: { path: file.value.path, file: file.value, reading } };
}
