import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { checkedAnswer } from './checked-answer.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';

const count = v.number();
const moduleCount = v.object({
  module_id: v.string(),
  deployed: v.string(),
  decision: v.string(),
  machines: count,
});
const fleetCountsAnswer = v.object({
  machines: count,
  seen_in_24h: count,
  duplicates: count,
  missing_outcomes: count,
  modules: v.array(moduleCount),
  outcomes_in_24h: v.array(
    v.object({ module_id: v.string(), version: v.string(), result: v.string(), outcomes: count }),
  ),
  // How many counts the lists lack; absent from an earlier registry, whose lists have all.
  modules_left_out: v.optional(count),
  outcomes_left_out: v.optional(count),
});

export type ModuleCount = Readonly<v.InferOutput<typeof moduleCount>>;
/** The counts of a fleet, as the registry has them. */
export type FleetCounts = Readonly<v.InferOutput<typeof fleetCountsAnswer>>;

/** Counts machines by module, version and decision. */
export async function fleetCounts(
  options: FleetOptions,
  world: World,
): Promise<Result<FleetCounts, Problem>> {
  return await withFleet(options, world, async (client) => {
    return { ok: true, value: checkedAnswer(await client.read(''), fleetCountsAnswer) };
  });
}
