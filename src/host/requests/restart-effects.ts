import type { Result, Stop } from '../../core/index.ts';
import { keyOf } from '../../core/plan/target.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { planFromSaved, planSupposing, type SavedPlanTerms } from '../plan/machine-plan.ts';
import { rowIn, sharesOf } from '../plan/planned-outcome.ts';
import type { Restart } from './restart.ts';

/** What else happens in a restart. */
export interface RestartEffects {
  /** In the order in which they stop. */
  readonly stops: readonly Stop[];
  /** What happens in the same restart. */
  readonly shares: readonly string[];
}

/** What stops for a restart, and what shares it: the plan of the machine with that request. */
export async function restartEffects(
  { row: target, request: restartRequest }: Restart,
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<RestartEffects, Problem[]>> {
  const planned = await planFromSaved(path, options, world);
  if (!planned.ok) return planned;
  const { facts } = planned.value;
  const plan = planSupposing(planned.value, {
    facts: (one) => ({ ...facts(one), ...(keyOf(one) === keyOf(target) && { restartRequest }) }),
  });
  const stops = rowIn(plan, target)?.stops ?? [];
  return { ok: true, value: { stops, shares: sharesOf(target, plan) } };
}
