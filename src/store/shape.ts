import { parseModuleId } from '../core/index.ts';

/** Whether a value that was stored as JSON is still what its readers rely on: a disk may change any of its bits. */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === 'string';
export const isNumber: Shape = (value) => typeof value === 'number';
export const isModuleId: Shape = (value) => parseModuleId(value).ok;

export function orNothing(shape: Shape): Shape {
  return (value) => value === undefined || shape(value);
}

export function oneOf(...values: readonly unknown[]): Shape {
  return (value) => values.includes(value);
}

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** An object with these fields, whatever else it has. */
export function objectOf<Key extends string>(fields: Readonly<Record<Key, Shape>>): Shape {
  const entries = Object.entries<Shape>(fields).map(([key, shape]) => ({ key, shape }));
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const object = value as Readonly<Record<string, unknown>>;
    // A list has thousands of objects.
    for (const { key, shape } of entries) if (!shape(object[key])) return false;
    return true;
  };
}
