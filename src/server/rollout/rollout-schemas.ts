import * as v from 'valibot';
import { groupName, moduleId } from '../../registry/machine-report.ts';

/* The schemas of the answers about rollouts, from which their types and the OpenAPI document are derived. */

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const textOrNull = v.nullable(v.string());
const time = v.pipe(v.string(), v.metadata({ format: 'date-time' }));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const failures = v.strictObject({ failed: count, silent: count });

const machines = v.strictObject({
  waiting: count,
  installing: count,
  healthy: count,
  failed: count,
  silent: count,
  retrying: v.pipe(
    v.optional(count),
    v.description(
      'Those that failed for a reason of the machine and try again: they are also counted as installing, silent or waiting',
    ),
  ),
});

const next = v.pipe(
  v.strictObject({
    step: v.picklist(['wait', 'raise', 'halt', 'complete']),
    reason: v.optional(v.string()),
    left_ms: v.optional(count),
    healthy: v.optional(count),
    needed: v.optional(count),
    failed: v.pipe(
      v.optional(count),
      v.description('With the reason failing: the machines of the last step that failed'),
    ),
    machines: v.pipe(v.optional(count), v.description('All machines of the last step, then')),
    percent: v.optional(percent),
    group: v.pipe(v.optional(groupName), v.description('The group of the next step')),
  }),
  v.description('What the registry does next by itself, and why'),
);

/** A rollout in a list. */
export const rolloutSummary = v.strictObject({
  module_id: moduleId,
  version: v.string(),
  status: v.picklist(['running', 'halted', 'completed', 'retracted']),
  sequence: v.pipe(count, v.description('The last event: the value of after for the next one')),
  percent,
  share,
  first: v.pipe(
    v.optional(v.array(groupName)),
    v.description('The groups that get it first, in their order; absent if there are none'),
  ),
  groups: v.pipe(
    v.optional(v.array(groupName)),
    v.description('Those of them that are included; absent if there are none first'),
  ),
  because: v.pipe(textOrNull, v.description('Why it is halted or retracted')),
  yanked: v.pipe(textOrNull, v.description('Why the release is yanked, empty without a reason')),
  soak_ms: count,
  started_at: time,
  machines: v.pipe(v.optional(machines), v.description('Absent once it has ended')),
  next: v.pipe(v.optional(next), v.description('Absent once it has ended')),
});

/** A rollout with what is known of its machines. */
export const rollout = v.strictObject({
  ...rolloutSummary.entries,
  soaked_ms: v.pipe(count, v.description('How long the step has lasted, while the registry ran')),
  included: v.pipe(
    count,
    v.description('The machines of the step, of those that may get the release'),
  ),
  machines,
  steps: v.pipe(
    v.array(percent),
    v.description('The percentages that are left, each with more machines than the one before it'),
  ),
  seen: failures,
  acknowledged: failures,
  failures: v.pipe(
    v.array(
      v.strictObject({
        machine: v.string(),
        reason: textOrNull,
        counted: v.pipe(
          v.boolean(),
          v.description('Whether it counts as failed: it is in the step, and not pinned'),
        ),
      }),
    ),
    v.maxLength(20),
  ),
  next,
});

export type RolloutDocument = v.InferOutput<typeof rollout>;
export type RolloutSummary = v.InferOutput<typeof rolloutSummary>;

export const damagedRollout = v.pipe(
  v.strictObject({ module_id: moduleId, version: v.string() }),
  v.description('A rollout of which a row of the catalogue is damaged. It does nothing any more'),
);

export const rollouts = v.strictObject({
  rollouts: v.array(rolloutSummary),
  damaged: v.array(damagedRollout),
});

export type RolloutsDocument = v.InferOutput<typeof rollouts>;

/** Which machines may install a release of a list. */
export const listedRollout = v.pipe(
  v.strictObject({
    salt: v.string(),
    percent,
    share: v.pipe(share, v.description('The machines whose cohort is below it are included')),
    groups: v.pipe(
      v.optional(v.array(groupName)),
      v.description('The groups whose machines are included, whatever their cohorts'),
    ),
    halted: v.pipe(v.optional(v.string()), v.description('Why it is halted; absent if it is not')),
  }),
  v.description('Which machines may install the release; absent: all'),
);
