import { LRUCache } from 'lru-cache';
import type * as v from 'valibot';

/** In characters of JSON: 10,000 modules of usual length. */
const MOST_TEXT = 8 * 1024 * 1024;

/**
 * The same schema, which does not validate again what it accepted lately: most modules of a report are those of the report before, and of other
 * machines (D432). All that are the same are one object, which must not be changed.
 */
export function rememberingValid<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
): Schema {
  const accepted = new LRUCache<string, object>({
    maxSize: MOST_TEXT,
    sizeCalculation: (_value, text) => text.length,
  });
  const run: Schema['~run'] = (dataset, config) => {
    const text = textOf(dataset.value);
    const known = text === undefined ? undefined : accepted.get(text);
    if (known) return Object.assign(dataset, { typed: true as const, value: known });
    const result = schema['~run'](dataset, config);
    const isValid = result.typed && !result.issues;
    if (isValid && text !== undefined) accepted.set(text, result.value);
    return result;
  };
  return { ...schema, '~run': run };
}

/** Undefined for what is nested too deeply to be written: the schema says so. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
