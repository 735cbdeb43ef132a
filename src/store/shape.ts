import { parseModuleId } from '../core/index.ts';
import type { Words } from '../core/text/time-words.ts';

/** Whether a stored JSON value has the shape that its readers rely on: a disk may have changed any of its bits. */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === 'string';
export const isNumber: Shape = (value) => typeof value === 'number';
export const isModuleId: Shape = (value) => parseModuleId(value).ok;

export function optional(shape: Shape): Shape {
  return (value) => value === undefined || shape(value);
}

export function oneOf(...values: readonly unknown[]): Shape {
  return (value) => values.includes(value);
}

export function anyOf(...shapes: readonly Shape[]): Shape {
  return (value) => shapes.some((shape) => shape(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** An object with at least these fields. */
export function objectOf<Key extends string>(fields: Readonly<Record<Key, Shape>>): Shape {
  const entries = Object.entries<Shape>(fields).map(([key, shape]) => ({ key, shape }));
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const object = value as Readonly<Record<string, unknown>>;
    // A plain loop is fast: a list has thousands of objects.
    for (const { key, shape } of entries) if (!shape(object[key])) return false;
    return true;
  };
}

/** Words whose times are data. */
export const isWords: Shape = objectOf<keyof Words>({
  facts: listOf(isText),
  times: listOf((time) => isNumber(time) || isText(time)),
});
