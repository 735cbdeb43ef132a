import type { JsonObject } from '../registry/formats/json-object.ts';
import { RegistryError } from '../registry/registry-error.ts';

/** The answer of a registry if it has the fields that `is` checks. Throws a RegistryError otherwise. */
export function checkedAnswer<T>(answer: JsonObject, is: (value: unknown) => value is T): T {
  const value: unknown = answer;
  if (is(value)) return value;
  const message = 'the registry answered without the fields that its OpenAPI document has';
  throw new RegistryError('not-a-registry', message);
}
