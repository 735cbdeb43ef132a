import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { DocumentResult, Machine, UpdatePolicy } from '../../config/index.ts';
import { readMachine } from '../../config/read-document.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { DocumentCheck, SavedConfig } from '../../page/machine-changes.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import { adviceOn } from '../../host/document-findings.ts';
import { readRegularFile, type DocumentFile } from '../../host/document-file.ts';
import { printedCode } from '../../base/codes.ts';
import { replaceFile } from '../../host/replace-file.ts';
import { asPageProblem, onPage, refused } from './page-problem.ts';

/** The code of a refusal because the file is not the one that the person saw (T138). */
export const CHANGED = 'CHANGED_MEANWHILE';

/** A machine config as a file has it now. */
export interface ConfigFile {
  readonly file: DocumentFile;
  readonly text: string;
  readonly etag: string;
}

/** Reads the machine config at `path`. */
export function readConfig(path: string): Result<ConfigFile, PageProblem[]> {
  const file = readRegularFile(path);
  if (!file.ok) return onPage(file);
  const { bytes } = file.value;
  const text = Buffer.from(bytes).toString('utf8');
  return { ok: true, value: { file: file.value, text, etag: etagOf(bytes) } };
}

/** The strong ETag of a file: the sha256 of its bytes. */
function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('hex')}"`;
}

/** `text` read as the machine config that `file` would be. */
export function readText(
  text: string,
  file: DocumentFile,
  policy: UpdatePolicy | 'unreadable',
): DocumentResult<Machine> {
  return readMachine(Buffer.from(text), { policy, mode: file.mode });
}

/** What a check found, for the page. */
export function checkOf({
  errors,
  warnings,
  problems,
}: Pick<DocumentResult<unknown>, 'errors' | 'warnings' | 'problems'>): DocumentCheck {
  const findings = problems.map(({ severity, kind, line, column, path, ...problem }) => {
    return { severity, code: printedCode(kind), line, column, path, message: adviceOn(problem) };
  });
  return { errors, warnings, findings };
}

/** The refusal to save a document with errors. */
export function withErrors(
  path: string,
  { errors, findings }: DocumentCheck,
): { readonly ok: false; readonly error: PageProblem[] } {
  const because = findings
    .filter(({ severity }) => severity === 'error')
    .map((one) => `${one.line}:${one.column} ${one.code} ${excerpt(one.path)}: ${one.message}`);
  const message = `${fileName(path)} would have ${errors === 1 ? '1 error' : `${errors} errors`}; nothing was changed`;
  return refused('DOCUMENT_HAS_ERRORS', message, { because });
}

/** The name of a file, for a message. */
export function fileName(path: string): string {
  return excerpt(basename(path));
}

/**
 * Replaces the content of a machine config by `to`. If the file was changed since it was read, `stale` says so: nothing is
 * lost.
 */
export function saveConfig(
  { file, etag }: ConfigFile,
  { to, lines }: { readonly to: string; readonly lines: readonly string[] },
  stale: (now: ConfigFile) => PageProblem,
): Result<SavedConfig, PageProblem[]> {
  const saved = etagOf(Buffer.from(to));
  if (saved === etag) return { ok: true, value: { etag, isChanged: false, lines: [] } };
  const replaced = replaceFile(file.path, { from: file.bytes, to });
  if (replaced.ok) return { ok: true, value: { etag: saved, isChanged: true, lines } };
  const now = readConfig(file.path);
  const isStale = now.ok && now.value.etag !== etag;
  return { ok: false, error: [isStale ? stale(now.value) : asPageProblem(replaced.error)] };
}
