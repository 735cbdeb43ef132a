import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { shortText, type ReleaseErrors } from './published-release.ts';
import { signatures } from './published-signatures.ts';
import { describe, shape } from './schema-errors.ts';

/** The body of a request to deprecate a release, or to yank it. */
export const reasonBody = v.strictObject(
  { reason: v.optional(shortText, '') },
  shape('a reason', 'reason'),
);
export const yankBody = v.strictObject(
  { ...reasonBody.entries, signatures: v.optional(signatures) },
  shape('a yank', 'reason and signatures'),
);

/** What the body of such a request says. */
export interface Reason {
  readonly reason: string;
  readonly signatures?: Readonly<Record<string, string>> | undefined;
}

/** Validates the body of such a request. */
export function readReason(
  json: unknown,
  body: typeof reasonBody | typeof yankBody = reasonBody,
): Result<Reason, ReleaseErrors> {
  const result = v.safeParse(body, Array.isArray(json) ? null : json);
  if (!result.success) return { ok: false, error: result.issues.map(describe) };
  return { ok: true, value: result.output };
}
