import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { describe } from '../catalogue/schema-errors.ts';

/** Reads the JSON of a body by a schema. The errors are for the person who wrote it. */
export function readingBy<T extends v.GenericSchema>(
  schema: T,
): (json: unknown) => Result<v.InferOutput<T>, readonly string[]> {
  return (json) => {
    const read = v.safeParse(schema, json);
    return read.success
      ? { ok: true, value: read.output }
      : { ok: false, error: read.issues.map(describe) };
  };
}
