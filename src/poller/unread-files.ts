import type { Plan } from '../core/index.ts';
import { termsFor } from '../core/machine/update-policy.ts';
import type { Action } from '../core/plan/action.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { Lists } from './lists.ts';
import type { Upcoming } from './upcoming.ts';

/** What is known of the files of the releases that a plan deploys. */
export interface KnownFiles {
  /** The plan without the restarts with an action whose file is not known yet. */
  readonly planned: (plan: Plan) => Plan;
  readonly isKnown: (upcoming: Upcoming) => boolean;
}

/**
 * A release may be selected whose file is not known yet, because what is selected has changed since the lists were read: another one
 * failed. Its registry is asked at once (D140).
 */
export function knownFiles(
  { policy }: Pick<Configuration, 'policy'>,
  lists: Pick<Lists, 'awaitsFile'>,
): KnownFiles {
  const isUnread = (
    { artifact, target }: Pick<Action, 'artifact' | 'target'>,
    to: string,
  ): boolean =>
    artifact === undefined && lists.awaitsFile(termsFor(policy, target.name), moduleOf(target), to);
  const isWhole = (actions: readonly Action[]): boolean =>
    actions.filter((one) => one.direction !== 'restart' && isUnread(one, one.to)).length === 0;
  return {
    planned: (plan) => {
      return { ...plan, restarts: plan.restarts.filter(({ actions }) => isWhole(actions)) };
    },
    isKnown: (upcoming) => !isUnread(upcoming, upcoming.version),
  };
}
