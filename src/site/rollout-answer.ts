import * as v from 'valibot';

const count = v.number();

/** A rollout as the registry describes it. What is optional is absent in an answer of modreg 0.2.0. */
export const rolloutAnswer = v.object({
  module_id: v.string(),
  version: v.string(),
  status: v.string(),
  sequence: count,
  percent: v.number(),
  // It includes the machines whose cohort is below.
  share: v.number(),
  // The groups that get it first, and those of them that are included; absent if there are none.
  first: v.optional(v.array(v.string())),
  groups: v.optional(v.array(v.string())),
  because: v.nullable(v.string()),
  // Why the release is yanked; null if it is not.
  yanked: v.optional(v.nullable(v.string())),
  soak_ms: v.number(),
  included: count,
  machines: v.object({
    waiting: count,
    installing: count,
    healthy: count,
    failed: count,
    silent: count,
    retrying: v.optional(count),
  }),
  // The percentages that are left.
  steps: v.optional(v.array(v.number())),
  failures: v.array(
    v.object({
      machine: v.string(),
      reason: v.nullable(v.string()),
      // False for a machine that is not in the step.
      counted: v.optional(v.boolean()),
    }),
  ),
  next: v.object({
    step: v.string(),
    reason: v.optional(v.string()),
    left_ms: v.optional(v.number()),
    healthy: v.optional(count),
    needed: v.optional(count),
    failed: v.optional(count),
    machines: v.optional(count),
    percent: v.optional(v.number()),
    group: v.optional(v.string()),
  }),
});
export type RolloutAnswer = Readonly<v.InferOutput<typeof rolloutAnswer>>;
