import { describeStage } from '../../core/rollout/stage.ts';
import type { PageProblem } from '../page-problem.ts';
import type { ShownRollout } from '../../site/rollouts.ts';
import type { RolloutChange } from '../../server/rollout/rollout-change.ts';

type Event = RolloutChange['event'];

/** The changes that the state of a rollout allows, in the order in which they are offered. */
export function possibleChanges({
  status,
  percent,
  yanked,
}: Pick<ShownRollout, 'status' | 'percent' | 'yanked'>): readonly Event[] {
  const isYanked = yanked !== undefined;
  if (status === 'halted') return isYanked ? ['retract'] : ['resume', 'retract'];
  if (status !== 'running') return [];
  return isYanked || percent >= 100 ? ['halt', 'retract'] : ['halt', 'raise', 'retract'];
}

/** Why a change is not possible now; undefined if it is. `percent` is the step to which the rollout is to be raised. */
export function impossible(
  rollout: ShownRollout,
  event: Event,
  percent: number = Infinity,
): PageProblem | undefined {
  if (possibleChanges(rollout).includes(event) && percent > rollout.percent) return undefined;
  const { moduleId, version, status, yanked } = rollout;
  const state = `${status} at ${describeStage(rollout)}${yanked === undefined ? '' : ', and yanked'}`;
  const change = percent === Infinity ? event : `${event} to ${percent} %`;
  const message = `${moduleId} ${version} is ${state}: ${change} is not possible`;
  return { code: 'ROLLOUT_CONFLICT', message };
}
