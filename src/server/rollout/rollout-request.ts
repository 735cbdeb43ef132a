import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { shortText, type ReleaseErrors } from '../catalogue/published-release.ts';
import { firstGroups, soakMs } from '../catalogue/rollout-terms.ts';
import { describe, shape } from '../catalogue/schema-errors.ts';

const number = v.pipe(
  v.number('expected a whole number from 0'),
  v.safeInteger('expected a whole number from 0'),
  v.minValue(0, 'expected a whole number from 0'),
);
const FAILURES = shape('failures', 'failed and silent');
const failures = v.strictObject({ failed: number, silent: number }, FAILURES);
const after = number;
const reason = v.optional(shortText, '');

export const rolloutRequest = v.variant(
  'event',
  [
    v.strictObject(
      { event: v.literal('start'), soak_ms: soakMs, first: firstGroups },
      shape('a start', 'event, soak_ms and first'),
    ),
    v.strictObject(
      { event: v.literal('halt'), after, reason },
      shape('a halt', 'event, after and reason'),
    ),
    v.strictObject(
      { event: v.literal('resume'), after, acknowledged: failures },
      shape('a resume', 'event, after and acknowledged'),
    ),
    v.strictObject(
      {
        event: v.literal('raise'),
        after,
        percent: v.optional(
          v.pipe(
            v.number('expected a percentage'),
            v.gtValue(0, 'expected more than 0'),
            v.maxValue(100, 'expected at most 100'),
          ),
        ),
        acknowledged: v.optional(failures),
      },
      shape('a raise', 'event, after, percent and acknowledged'),
    ),
    v.strictObject(
      { event: v.literal('retract'), after, reason },
      shape('a retract', 'event, after and reason'),
    ),
  ],
  'expected an object with event: start, halt, resume, raise or retract',
);

/** A change of a rollout that a person asks for. */
export type RolloutRequest = v.InferOutput<typeof rolloutRequest>;

/** Validates the body of such a request. */
export function readRolloutRequest(json: unknown): Result<RolloutRequest, ReleaseErrors> {
  const result = v.safeParse(rolloutRequest, Array.isArray(json) ? null : json);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, error: result.issues.map(describe) };
}
