import type * as v from 'valibot';
import type { Path } from '../core/text/json-pointer.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import type { Finding } from './fault.ts';
import { shapeOf, type Choice, type Either } from './fields/fields.ts';

/** The fields of `value` that `schema` does not define, in document order. */
export function unknownFields(schema: v.GenericSchema, value: unknown): Finding[] {
  const findings: Finding[] = [];
  collect(schema, value, { path: [], findings });
  return findings;
}

/** The fields that `schema` defines; none if it is not the schema of an object. */
export function fieldsOf(schema: v.GenericSchema): string[] {
  return isFields(schema) ? Object.keys(schema.entries) : [];
}

/** The path to the current value, and the findings so far. */
interface Walk {
  readonly path: (string | number)[];
  readonly findings: Finding[];
}

function collect(schema: v.GenericSchema, value: unknown, walk: Walk): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNested(schema)) return collect(schema.wrapped, value, walk);
  if (isChoice(schema)) return collect(shapeOf(schema, value), value, walk);
  if (isEither(schema)) return collect(schema.object, value, walk);
  if (Array.isArray(value)) {
    if (isList(schema)) collectEach(value.keys(), value, () => schema.item, walk);
  } else if (isMap(schema)) {
    if (schema.value.type !== 'unknown')
      collectEach(Object.keys(value), value, () => schema.value, walk);
  } else if (isFields(schema)) {
    const { entries } = schema;
    collectEach(
      Object.keys(value),
      value,
      (key) => {
        if (Object.hasOwn(entries, key)) return entries[key];
        walk.findings.push(unknownField([...walk.path, key], String(key), schema));
        return undefined;
      },
      walk,
    );
  }
}

/** Collects from each value at `keys` that has a schema. */
function collectEach(
  keys: Iterable<string | number>,
  value: object,
  schemaAt: (key: string | number) => v.GenericSchema | undefined,
  walk: Walk,
): void {
  for (const key of keys) {
    const schema = schemaAt(key);
    if (!schema) continue;
    walk.path.push(key);
    collect(schema, (value as Readonly<Record<string | number, unknown>>)[key], walk);
    walk.path.pop();
  }
}

function unknownField(path: Path, key: string, { entries }: Fields): Finding {
  const suggest = (): string | undefined => nearestWord(key, Object.keys(entries));
  return { kind: 'unknown-field', path, end: 'key', message: 'unknown field', suggest };
}

type Fields = { readonly entries: Readonly<Record<string, v.GenericSchema>> };
type Inner = { readonly wrapped: v.GenericSchema };

function isNested(schema: v.GenericSchema): schema is v.GenericSchema & Inner {
  return 'wrapped' in schema;
}

function isEither(schema: v.GenericSchema): schema is v.GenericSchema & Either {
  return 'object' in schema && 'text' in schema;
}

function isChoice(schema: v.GenericSchema): schema is v.GenericSchema & Choice {
  return 'otherwise' in schema;
}

function isList(
  schema: v.GenericSchema,
): schema is v.GenericSchema & { readonly item: v.GenericSchema } {
  return 'item' in schema;
}

function isMap(
  schema: v.GenericSchema,
): schema is v.GenericSchema & { readonly value: v.GenericSchema } {
  return schema.type === 'record' && 'value' in schema;
}

function isFields(schema: v.GenericSchema): schema is v.GenericSchema & Fields {
  return 'entries' in schema;
}
