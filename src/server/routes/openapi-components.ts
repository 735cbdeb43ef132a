import { toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { refTo } from './openapi-parts.ts';

const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // What JSON Schema cannot express, and what does not concern JSON.
  ignoreActions: ['check', 'raw_check', 'readonly'],
  overrideRef: ({ referenceId }) => refTo(referenceId),
  overrideSchema: ({ valibotSchema: { type }, jsonSchema }) => {
    // Each is an object that is checked further.
    if (type === 'custom') return { type: 'object' };
    const [inner] = jsonSchema.anyOf ?? [];
    if ((type !== 'nullable' && type !== 'nullish') || typeof inner !== 'object') return undefined;
    return typeof inner.type === 'string' ? { ...inner, type: [inner.type, 'null'] } : undefined;
  },
};

/** The schemas that the readers use, by name, as those of an OpenAPI document: one that is part of another is referred to. */
export function componentsOf(
  schemas: Readonly<Record<string, v.GenericSchema>>,
): Readonly<Record<string, object>> {
  return toJsonSchemaDefs(schemas, CONVERSION);
}
