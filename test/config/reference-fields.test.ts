import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf, type DocumentKind } from '../../src/config/index.ts';
import { readJson } from '../../src/config/text/json-document.ts';
import { checkFixture, badDocuments, goodDocuments } from '../support/documents.ts';
import { ROOT } from '../support/modreg.ts';

/** Every field of the reference, by document and table; `*` means any index. */
const FIELDS = JSON.parse(
  readFileSync(join(ROOT, 'test/fixtures/reference-fields.json'), 'utf8'),
) as Record<DocumentKind, Record<string, string[]>>;

const CASES = Object.entries(FIELDS).flatMap(([kind, tables]) =>
  Object.entries(tables).flatMap(([table, fields]) =>
    fields.map((field) => [kind as DocumentKind, table, field] as const),
  ),
);
const GOOD = goodDocuments().map(({ kind, bytes }) => ({
  kind,
  paths: new Set(pathsIn(readJson(bytes.toString()).value)),
}));
const BAD = badDocuments().map((document) => ({
  kind: document.kind,
  // A missing field is reported at its parent.
  paths: checkFixture(document)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => {
      const [, absent] = /^(\w+) is required/.exec(message) ?? [];
      return withoutIndices(absent === undefined ? path : `${path}/${absent}`);
    }),
}));

function withoutIndices(path: string): string {
  return path.replace(/\/\d+(?=\/|$)/g, '/*');
}

/** The paths of all fields in a value. */
function pathsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsIn(item, `${path}/${Array.isArray(value) ? '*' : key}`),
  );
  return [path, ...inner];
}

/** The paths of all fields that a JSON Schema defines. */
function pathsOf(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const part = schema as Record<string, unknown>;
  return [
    path,
    ...Object.entries(Object(part['properties'])).flatMap(([key, inner]) =>
      pathsOf(inner, `${path}/${key}`),
    ),
    ...pathsOf(part['items'], `${path}/*`),
    ...pathsOf(part['then'], path),
    ...pathsOf(part['else'], path),
  ];
}

describe.each(CASES)('%s, %s: %s', (kind, _table, field) => {
  it('is in the JSON Schema', () => {
    expect(pathsOf(jsonSchemaOf(kind))).toContain(field);
  });

  it('has a valid example', () => {
    expect(GOOD.some((document) => document.kind === kind && document.paths.has(field))).toBe(true);
  });

  it('has an invalid example', () => {
    expect(
      BAD.filter((document) => document.kind === kind).flatMap(({ paths }) => paths),
    ).toContain(field);
  });
});

it('no JSON Schema has a field that the reference does not list', () => {
  for (const [kind, tables] of Object.entries(FIELDS)) {
    const listed = new Set(Object.values(tables).flat());
    const fields = pathsOf(jsonSchemaOf(kind as DocumentKind));
    // Lists and maps are listed by the fields of their elements; the agent's fields by its own document.
    const unlisted = fields.filter((field) => {
      const isEntry = field === '' || field.endsWith('/*');
      const isForEditors = field.endsWith('/$schema');
      // The agent of modreg reads it of a local module (D345).
      const isForAgent = field === '/modules/*/executable_path';
      const isOwn = isForEditors || isForAgent || field.startsWith('/agent/');
      return !isEntry && !isOwn && !listed.has(field);
    });
    expect(unlisted).toEqual([]);
  }
});
