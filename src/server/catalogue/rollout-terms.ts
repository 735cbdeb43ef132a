import * as v from 'valibot';
import { MOST_GROUPS } from '../../core/rollout/group.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { groupName } from '../../registry/machine-report.ts';
import { shape } from './schema-errors.ts';

const HOUR = 3_600_000;

/** How long each step of a rollout lasts at least, in milliseconds. */
export const soakMs: v.GenericSchema<number | undefined, number> = v.optional(
  v.pipe(
    v.number('expected milliseconds'),
    v.safeInteger('expected whole milliseconds'),
    v.minValue(0, 'expected 0 or more'),
    v.maxValue(720 * HOUR, 'expected at most 30 days'),
    v.description('How long each step lasts at least, in milliseconds'),
  ),
  ROLLOUT_POLICY.soakMs,
);

/** The groups that get a release first, in their order. */
export const firstGroups: v.GenericSchema<string[] | undefined, string[] | undefined> = v.optional(
  v.pipe(
    v.array(groupName, 'expected a list of groups'),
    v.minLength(1, 'expected at least one group'),
    v.maxLength(MOST_GROUPS, `expected at most ${MOST_GROUPS} groups`),
    v.check((groups) => new Set(groups).size === groups.length, 'names a group twice'),
    v.description('The groups whose machines get it before the others, each for its soak'),
  ),
);

/** How a release is published into a rollout. */
export const rolloutTerms = v.strictObject(
  { soak_ms: soakMs, first: firstGroups },
  shape('a rollout', 'soak_ms and first'),
);

/** The same as a release has it. */
export function termsOf({ soak_ms, first }: v.InferOutput<typeof rolloutTerms>): {
  readonly soakMs: number;
  readonly first?: readonly string[];
} {
  return { soakMs: soak_ms, ...(first && { first }) };
}
