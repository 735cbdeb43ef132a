import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  DOCUMENT_KINDS,
  KIND_NAMES,
  suggestedKind,
  type DocumentKind,
} from '../../config/document-kind.ts';
import { jsonSchemaOf } from '../../config/json-schema.ts';
import { withSchema } from '../../config/schema-field.ts';
import { readJson } from '../../config/text/json-document.ts';
import { positionIn } from '../../config/text/position.ts';
import { decode } from '../../config/text/utf8.ts';
import type { Result } from '../../core/index.ts';
import { unwritableWords } from '../../core/text/file-words.ts';
import { describeValue, excerpt } from '../../core/text/quote.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import { replaceFile as writeFile } from '../../files/replace-file.ts';
import { readRegularFile, STDIN } from '../../host/document-file.ts';
import { replaceFile } from '../../host/replace-file.ts';
import { jsonLine } from '../base/answer-json.ts';

const PUBLIC = 0o644;

/**
 * `modreg schema <kind> --write <file>`: writes the JSON Schema beside a document, and names it in the document's `$schema`, so that
 * editors complete it (D349).
 */
export function writeSchemaCommand(
  kind: DocumentKind,
  path: string,
  { json }: { readonly json?: true },
): Outcome {
  if (path === STDIN) return failed(usage('- is stdin, which cannot be edited: name a file'));
  const file = readRegularFile(path);
  if (!file.ok) return failed(file.error);
  const text = objectIn(file.value.bytes, path);
  if (!text.ok) return failed(text.error);
  const other = otherKind(kind, path, text.value);
  if (other) return failed(other);
  const name = schemaName(kind);
  const schemaPath = join(dirname(path), name);
  const foreign = foreignSchema(schemaPath, kind);
  if (foreign) return failed(foreign);
  const schema = `${JSON.stringify(jsonSchemaOf(kind), undefined, 2)}\n`;
  try {
    writeFile(schemaPath, schema, { mode: PUBLIC });
  } catch (error) {
    return failed(unwritable(schemaPath, error));
  }
  const to = withSchema(text.value, `./${name}`);
  const isChanged = to !== text.value;
  const replaced = isChanged ? replaceFile(path, { from: file.value.bytes, to }) : { ok: true };
  if ('error' in replaced) return failed(replaced.error);
  const answer = { schema: 'modreg/schema-write@1', file: path, schema_file: schemaPath };
  const verb = isChanged ? 'names' : 'already named';
  return {
    answer: json
      ? [jsonLine({ ...answer, changed: isChanged })]
      : [
          `${excerpt(schemaPath)}: the JSON Schema of a ${kind} document`,
          `${excerpt(basename(path))} ${verb} it in $schema`,
        ],
    notes: [],
    problems: [],
  };
}

/** The text of a document that is a JSON object. */
function objectIn(bytes: Uint8Array, path: string): Result<string, Problem> {
  const text = decode(bytes);
  const document = text.ok ? readJson(text.value) : undefined;
  const { value } = document ?? {};
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (text.ok && document?.findings.length === 0 && isObject) return text;
  const finding = text.ok ? document?.findings[0] : text.error.finding;
  const why = finding?.message ?? `found ${describeValue(value)}, expected a JSON object`;
  const at = finding ? placeIn(text.ok ? text.value : text.error.text, finding.offset) : '';
  const message = `${excerpt(path)}${at}: ${why}; nothing was changed`;
  return { ok: false, error: { severity: 'error', kind: 'bad-json', message } };
}

/** The problem that a document is of another kind by its fields, or by its `$schema` if they do not tell. */
function otherKind(kind: DocumentKind, path: string, text: string): Problem | undefined {
  const { value } = readJson(text);
  const byFields = suggestedKind(value);
  const found = byFields ?? namedKind(Object(value).$schema);
  if (found === undefined || found === kind) return undefined;
  const by = byFields ? 'fields' : '$schema';
  const message = `${excerpt(path)}: found ${KIND_NAMES[found]} by its ${by}, expected ${KIND_NAMES[kind]}; nothing was changed`;
  return usage(
    message,
    `modreg schema ${found} --write ${excerpt(path)} writes the schema that it needs`,
  );
}

/** The kind whose schema, as modreg writes it, a `$schema` names. */
function namedKind(schema: unknown): DocumentKind | undefined {
  const name = basename(String(schema));
  return DOCUMENT_KINDS.find((kind) => name === schemaName(kind));
}

function schemaName(kind: DocumentKind): string {
  return `modreg-${kind}.schema.json`;
}

/** `:1:2`, as behind the name of a document. */
function placeIn(text: string, offset: number): string {
  const { line, column } = positionIn(text, offset);
  return `:${line}:${column}`;
}

/** The problem that another file has the name of the schema. */
function foreignSchema(path: string, kind: DocumentKind): Problem | undefined {
  if (!existsSync(path)) return undefined;
  const file = readRegularFile(path);
  if (!file.ok) return file.error;
  const text = decode(file.value.bytes);
  const { value } = text.ok ? readJson(text.value) : {};
  if (Object(value).$id === `urn:modreg:schema:${kind}`) return undefined;
  const message = `${excerpt(path)} exists, and is not the JSON Schema that modreg writes; nothing was changed`;
  return { severity: 'error', kind: 'unreadable-file', message, hint: 'rename that file' };
}

function unwritable(path: string, error: unknown): Problem {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const message = `${excerpt(path)} ${unwritableWords(code)}; nothing was changed`;
  return { severity: 'error', kind: 'state-write', message };
}
