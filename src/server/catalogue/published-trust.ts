import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { LONGEST_DOCUMENT } from '../../core/trust/trust-document.ts';
import { describe } from './schema-errors.ts';

/** The body of a request that stores a trust document. */
export const newTrust = v.strictObject({
  document: v.pipe(v.string('expected text'), v.maxLength(LONGEST_DOCUMENT)),
});

/** The text of the document. */
export function readNewTrust(json: unknown): Result<string, readonly string[]> {
  const read = v.safeParse(newTrust, json);
  return read.success
    ? { ok: true, value: read.output.document }
    : { ok: false, error: read.issues.map(describe) };
}
