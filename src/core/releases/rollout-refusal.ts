import { cohort } from '../rollout/cohort.ts';
import { includes } from '../rollout/group.ts';
import type { Eligibility, Policy } from './eligibility-policy.ts';
import { isTooOld } from './list-age.ts';
import type { Refusal } from './refusal.ts';
import type { Release, ReleaseRollout } from './release.ts';

/** Why a rollout refuses a release. */
export type RolloutRefusal = Extract<
  Refusal,
  { readonly reason: 'not-in-rollout' | 'rollout-halted' | 'rollout-unconfirmed' }
>;

/** A release in rollout is installed only from a list that was confirmed in this time, in milliseconds. */
export const CONFIRMED_WITHIN_MS = 3_600_000;

/** Why the rollout of a release excludes a machine, which decides that itself; undefined if it is included. */
function rolloutRefusal(
  rollout: ReleaseRollout,
  machine: { readonly id: string | undefined; readonly group: string | undefined },
  list: { readonly confirmedAt: number | undefined; readonly now: number },
): RolloutRefusal | undefined {
  const { salt, percent, share, groups = [], halted } = rollout;
  // No further machine installs a release whose rollout is halted (D50).
  if (halted !== undefined) return { reason: 'rollout-halted', percent, because: halted };
  const place = machine.id === undefined ? undefined : cohort(machine.id, salt);
  // The machine decides itself, by its cohort or its group (D49, D108).
  if (!includes(rollout, { cohort: place, group: machine.group })) {
    return { reason: 'not-in-rollout', cohort: place, share, percent, groups };
  }
  // A halt would not be in an old list, although that list may be used otherwise (D51, D21).
  const { confirmedAt, now } = list;
  if (confirmedAt === undefined || !isTooOld(confirmedAt, now, CONFIRMED_WITHIN_MS)) {
    return undefined;
  }
  return { reason: 'rollout-unconfirmed', percent, confirmedAt };
}

/** A rollout never refuses the deployed version, and a pin bypasses it (D50). */
export const excludedByRollout: Policy = ({ constraint, eligibility }, { version, rollout }) => {
  if (rollout === undefined) return undefined;
  const isExempt = constraint.kind === 'patch' || version.text === eligibility.rollouts?.deployed;
  return isExempt ? undefined : refusalBy(rollout, eligibility);
};

/** The refusal that a pin to the release bypasses; undefined if there is none. */
export function bypassedRollout(
  { constraint, eligibility }: Parameters<Policy>[0],
  { version, rollout }: Pick<Release, 'version' | 'rollout'>,
): RolloutRefusal | undefined {
  const isBypassed = constraint.kind === 'patch' && version.text !== eligibility.rollouts?.deployed;
  return isBypassed ? refusalBy(rollout, eligibility) : undefined;
}

function refusalBy(
  rollout: ReleaseRollout | undefined,
  { rollouts, now }: Eligibility,
): RolloutRefusal | undefined {
  if (!rollout || !rollouts) return undefined;
  const { machineId: id, group, confirmedAt } = rollouts;
  return rolloutRefusal(rollout, { id, group }, { confirmedAt, now });
}
