import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatChecked } from '../../src/cli/check/check-report.ts';
import { checkDocument } from '../../src/config/read-document.ts';
import type { CheckResult } from '../../src/config/report.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '../../src/config/document-kind.ts';
import { ROOT } from './modreg.ts';

/** A document of `test/fixtures/documents`. */
export interface Fixture {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly bytes: Buffer;
}

/** A bad document, and the output of `modreg check` for it. */
export interface BadFixture extends Fixture {
  /** The lines of the output, without the file path. */
  readonly expected: readonly string[];
}

/** The stored form of a bad document: a good document (`base`) with changes, or the whole document. */
interface BadDocument {
  readonly name: string;
  readonly base?: string;
  /** New values, by JSON Pointer. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** JSON Pointers to the values to remove. */
  readonly remove?: readonly string[];
  /** A piece of the text, and its replacement. */
  readonly replace?: readonly [from: string, to: string];
  readonly encoding?: 'utf-16le' | 'utf-16be' | 'latin1';
  readonly document?: unknown;
  readonly text?: string;
  readonly expected: readonly string[];
}

const FOLDER = join(ROOT, 'test/fixtures/documents');

/** The environment in which fixtures are checked. */
export const ENVIRONMENT: Readonly<Record<string, string>> = { HOME: '/home/robot' };

/** When they are checked. */
const NOW = Date.parse('2026-11-21T12:00:00Z');

export function goodDocuments(): Fixture[] {
  return DOCUMENT_KINDS.flatMap((kind) => {
    const names = readdirSync(join(FOLDER, 'good', kind));
    return names.map((name) => ({ kind, name, bytes: goodDocument(kind, name) }));
  });
}

export function badDocuments(): BadFixture[] {
  return DOCUMENT_KINDS.flatMap((kind) => {
    const text = readFileSync(join(FOLDER, 'bad', `${kind}.json`), 'utf8');
    const documents = JSON.parse(text) as readonly BadDocument[];
    return documents.map((bad) => {
      const { name, expected } = bad;
      return { kind, name, expected, bytes: encoded(textOf(kind, bad), bad.encoding) };
    });
  });
}

function goodDocument(kind: DocumentKind, name: string): Buffer {
  return readFileSync(join(FOLDER, 'good', kind, name));
}

function textOf(kind: DocumentKind, bad: BadDocument): string {
  if (bad.text !== undefined) return bad.text;
  const base: unknown =
    'document' in bad
      ? bad.document
      : JSON.parse(goodDocument(kind, `${bad.base}.json`).toString());
  for (const [pointer, value] of Object.entries(bad.set ?? {})) edit(base, pointer, value);
  for (const pointer of bad.remove ?? []) edit(base, pointer, undefined);
  const text = JSON.stringify(base, null, 2) + '\n';
  const [from, to] = bad.replace ?? ['', ''];
  if (!text.includes(from)) throw new Error(`${bad.name}: ${bad.base} has no ${from}`);
  return text.replace(from, () => to);
}

function edit(document: unknown, pointer: string, value: unknown): void {
  const keys = pointer.split('/').slice(1);
  const last = unescaped(keys.pop() ?? '');
  let parent = Object(document);
  for (const key of keys) parent = Object(parent[unescaped(key)]);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function encoded(text: string, encoding: BadDocument['encoding']): Buffer {
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf-16le').swap16();
  return Buffer.from(text, encoding);
}

export function checkFixture({ kind, name, bytes }: Fixture): CheckResult {
  const mode = name.startsWith('permissions--') ? 0o100644 : 0o100600;
  return checkDocument(bytes, kind, { environment: ENVIRONMENT, mode, now: NOW });
}

/** The output of `modreg check` for a file called `name`. */
export function printed(checked: CheckResult, name: string): string {
  return formatChecked(checked, [{ path: name, report: checked }]).join('\n') + '\n';
}
