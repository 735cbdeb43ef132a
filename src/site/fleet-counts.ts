import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { isNumber, isText, listOf, objectOf } from '../store/shape.ts';
import { checkedAnswer } from './checked-answer.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';

/** The counts of a fleet, as the registry has them. */
export interface FleetCounts {
  readonly machines: number;
  readonly seen_in_24h: number;
  readonly duplicates: number;
  readonly missing_outcomes: number;
  readonly modules: readonly ModuleCount[];
  readonly outcomes_in_24h: readonly {
    readonly module_id: string;
    readonly version: string;
    readonly result: string;
    readonly outcomes: number;
  }[];
  /** How many counts the lists lack; absent from an earlier registry, whose lists have all. */
  readonly modules_left_out?: number;
  readonly outcomes_left_out?: number;
}

export interface ModuleCount {
  readonly module_id: string;
  readonly deployed: string;
  readonly decision: string;
  readonly machines: number;
}

const COUNTS = objectOf<Exclude<keyof FleetCounts, LeftOut>>({
  machines: isNumber,
  seen_in_24h: isNumber,
  duplicates: isNumber,
  missing_outcomes: isNumber,
  modules: listOf(
    objectOf<keyof ModuleCount>({
      module_id: isText,
      deployed: isText,
      decision: isText,
      machines: isNumber,
    }),
  ),
  outcomes_in_24h: listOf(
    objectOf<keyof FleetCounts['outcomes_in_24h'][number]>({
      module_id: isText,
      version: isText,
      result: isText,
      outcomes: isNumber,
    }),
  ),
});

type LeftOut = 'modules_left_out' | 'outcomes_left_out';

function areCounts(value: unknown): value is FleetCounts {
  const { modules_left_out: modules = 0, outcomes_left_out: outcomes = 0 } = Object(value);
  return COUNTS(value) && isNumber(modules) && isNumber(outcomes);
}

/** Counts machines by module, version and decision. */
export async function fleetCounts(
  options: FleetOptions,
  world: World,
): Promise<Result<FleetCounts, Problem>> {
  return await withFleet(options, world, async (client) => {
    return { ok: true, value: checkedAnswer(await client.read(''), areCounts) };
  });
}
