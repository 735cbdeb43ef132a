export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at `key`; one without fields if there is none. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

/** Whether two values of JSON are equal, whatever the order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, place) => isSame(item, other[place]));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  return keysOf(one, other).every(
    (key) => Object.hasOwn(one, key) && Object.hasOwn(other, key) && isSame(one[key], other[key]),
  );
}

/** The keys that one of two objects has. */
export function keysOf(one: JsonObject, other: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])];
}

/** The keys whose values differ. */
export function differing(one: JsonObject, other: JsonObject): readonly string[] {
  return keysOf(one, other).filter((key) => !isSame(one[key], other[key]));
}
