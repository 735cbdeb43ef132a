import { toJsonSchema, type ConversionConfig } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { expectArgument } from '../core/text/argument.ts';
import { agentConfiguration } from './agent.ts';
import { DOCUMENT_KIND, type DocumentKind } from './document-kind.ts';
import { descriptionOf } from './field-descriptions.ts';
import type { Choice, JsonSchema } from './fields/fields.ts';
import { machine } from './machine.ts';
import { updatePolicy } from './update-policy.ts';

const SCHEMAS: Readonly<Record<DocumentKind, readonly [title: string, schema: v.GenericSchema]>> = {
  machine: ['Machine config', machine],
  agent: ['Agent configuration', agentConfiguration],
  policy: ['Update policy', updatePolicy],
};

const CONVERSION: ConversionConfig = {
  typeMode: 'input',
  errorMode: 'throw',
  overrideSchema: ({ valibotSchema }) =>
    isChoice(valibotSchema) ? choiceAsJson(valibotSchema) : undefined,
};

/**
 * The JSON Schema (draft 7) of a kind of document, for editors and other validators. It allows every
 * document that modreg reads without errors, and describes each field. It does not express references between fields.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { jsonSchemaOf } from 'modreg/config';
 *
 * writeFileSync('machine.schema.json', JSON.stringify(jsonSchemaOf('machine'), null, 2));
 * ```
 */
export function jsonSchemaOf(kind: DocumentKind): JsonSchema {
  expectArgument('jsonSchemaOf()', 'kind', kind, DOCUMENT_KIND);
  const [title, schema] = SCHEMAS[kind];
  const { $schema, ...rest } = toJsonSchema(schema, CONVERSION);
  const described = withDescriptions(kind, rest, []) as typeof rest;
  return { $schema, $id: `urn:modreg:schema:${kind}`, title, ...described };
}

/** The schema with a description of each field (D317). Its `if` only distinguishes two forms. */
function withDescriptions(kind: DocumentKind, schema: unknown, path: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withDescriptions(kind, one, path));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'if') return [key, value];
    if (key !== 'properties') return [key, withDescriptions(kind, value, path)];
    return [key, fieldsWithDescriptions(kind, Object(value), path)];
  });
  return Object.fromEntries(entries);
}

function fieldsWithDescriptions(
  kind: DocumentKind,
  properties: object,
  path: readonly string[],
): object {
  const fields = Object.entries(properties).map(([name, schema]): [string, object] => {
    const description = descriptionOf(kind, [...path, name]);
    const inner = Object(withDescriptions(kind, schema, [...path, name]));
    return [name, { ...(description !== undefined && { description }), ...inner }];
  });
  return Object.fromEntries(fields);
}

function choiceAsJson({ when, matching, otherwise }: Choice): ReturnType<typeof toJsonSchema> {
  const properties = Object.fromEntries(
    Object.entries(when).map(([key, word]) => [key, { const: word }]),
  );
  return {
    type: 'object',
    if: { properties, required: Object.keys(when) },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: withoutDialect(matching),
    else: withoutDialect(otherwise),
  };
}

function withoutDialect(schema: v.GenericSchema): ReturnType<typeof toJsonSchema> {
  const { $schema: _dialect, ...rest } = toJsonSchema(schema, CONVERSION);
  return rest;
}

function isChoice(schema: object): schema is v.GenericSchema & Choice {
  return 'otherwise' in schema;
}
