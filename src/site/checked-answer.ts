import * as v from 'valibot';
import type { JsonObject } from '../registry/formats/json-object.ts';
import { RegistryError } from '../registry/registry-error.ts';

/** The answer of a registry, with all its fields, if it has those of the schema. Throws a RegistryError otherwise. */
export function checkedAnswer<T>(
  answer: JsonObject,
  schema: v.GenericSchema<unknown, T>,
): JsonObject & T {
  const value: unknown = answer;
  if (v.is(schema, value)) return answer as JsonObject & T;
  const message = 'the registry answered without the fields that its OpenAPI document has';
  throw new RegistryError('not-a-registry', message);
}
