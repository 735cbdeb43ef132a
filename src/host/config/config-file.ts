import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { DocumentResult, Machine, UpdatePolicy } from '../../config/index.ts';
import { readMachine } from '../../config/read-document.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { printedCode } from '../../base/codes.ts';
import type { Problem } from '../../base/problem.ts';
import { readRegularFile, type DocumentFile } from '../document-file.ts';
import { adviceOn } from '../../config/report.ts';
import { replaceFile } from '../replace-file.ts';

/** A machine config as a file has it now. */
export interface ConfigFile {
  readonly file: DocumentFile;
  readonly text: string;
  readonly etag: string;
}

/** What a check found in a document. */
export interface DocumentCheck {
  readonly errors: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly line: number;
  readonly column: number;
  /** A JSON Pointer. */
  readonly path: string;
  readonly message: string;
}

/** How an attempt to save a machine config ended. Unless it was saved, the file is as it was. */
export type SaveOutcome =
  | { readonly kind: 'saved'; readonly saved: SavedConfig }
  | { readonly kind: 'has-errors'; readonly check: DocumentCheck }
  /** The file is not the one that the person saw: its change is kept (T138). */
  | { readonly kind: 'changed-meanwhile'; readonly now: ConfigFile };

export interface SavedConfig {
  readonly etag: string;
  readonly isChanged: boolean;
  /** What was changed. */
  readonly lines: readonly string[];
}

/** Reads the machine config at `path`. */
export function readConfig(path: string): Result<ConfigFile, Problem[]> {
  const file = readRegularFile(path);
  if (!file.ok) return { ok: false, error: [file.error] };
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

/** What a reading found. */
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

/** The name of a file, for a message. */
export function fileName(path: string): string {
  return excerpt(basename(path));
}

/** Replaces the content of a machine config by `to`, unless the file was changed since it was read. */
export function saveConfig(
  { file, etag }: ConfigFile,
  { to, lines }: { readonly to: string; readonly lines: readonly string[] },
): Result<SaveOutcome, Problem[]> {
  const saved = etagOf(Buffer.from(to));
  if (saved === etag) return savedAs({ etag, isChanged: false, lines: [] });
  const replaced = replaceFile(file.path, { from: file.bytes, to });
  if (replaced.ok) return savedAs({ etag: saved, isChanged: true, lines });
  const now = readConfig(file.path);
  return now.ok && now.value.etag !== etag
    ? { ok: true, value: { kind: 'changed-meanwhile', now: now.value } }
    : { ok: false, error: [replaced.error] };
}

function savedAs(saved: SavedConfig): Result<SaveOutcome, never> {
  return { ok: true, value: { kind: 'saved', saved } };
}
