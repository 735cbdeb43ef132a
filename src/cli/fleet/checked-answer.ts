import type { JsonObject } from '../../registry/formats/json-object.ts';
import { RegistryError } from '../../registry/index.ts';
import type { Shape } from '../../store/shape.ts';

/** The answer of a registry if it has `shape`, which checks each field of `T`. Throws a RegistryError otherwise. */
export function checkedAnswer<T>(answer: JsonObject, shape: Shape): T {
  // A cast: the shape was checked.
  if (shape(answer)) return answer as T;
  const message = 'the registry answered without the fields that its OpenAPI document has';
  throw new RegistryError('not-a-registry', message);
}
