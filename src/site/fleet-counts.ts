import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { fleetCountsAnswer, type FleetCounts } from '../registry/fleet-documents.ts';
import { checkedAnswer } from './checked-answer.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';

/** Counts machines by module, version and decision. */
export async function fleetCounts(
  options: FleetOptions,
  world: World,
): Promise<Result<FleetCounts, Problem>> {
  return await withFleet(options, world, async (client) => {
    return { ok: true, value: checkedAnswer(await client.read(''), fleetCountsAnswer) };
  });
}
