import { toJsonSchema, type ConversionConfig } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { expectArgument } from '../core/text/argument.ts';
import { agentConfiguration } from './agent.ts';
import { DOCUMENT_KIND, type DocumentKind } from './document-kind.ts';
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
 * document that modreg reads without errors. It does not express references between fields.
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
  return { $schema, title, ...rest };
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
