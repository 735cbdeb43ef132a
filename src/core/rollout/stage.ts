import type { Rollout } from './rollout.ts';

/** A stage of a rollout: its groups, one after another, then the steps of its policy. */
export interface Stage {
  readonly percent: number;
  /** How many of the groups that are first are included; undefined for a rollout without groups. */
  readonly groups: number | undefined;
}

/** The stage after the one of `rollout`; undefined after the last one. */
export function stageAfter(
  { first, groups, percent }: Pick<Rollout, 'first' | 'groups' | 'percent'>,
  steps: readonly number[],
): Stage | undefined {
  if (groups.length < first.length) return { percent: 0, groups: groups.length + 1 };
  const next = steps.find((step) => step > percent);
  return next === undefined ? undefined : stageAt({ first }, next);
}

/** The stage with a percentage. It includes all groups, because each of them comes before the percentages (D107). */
export function stageAt({ first }: Pick<Rollout, 'first'>, percent: number): Stage {
  return { percent, groups: first.length === 0 ? undefined : first.length };
}

/** The group that was included last, while no percentage is; undefined if there is none. */
export function newestGroup({
  groups,
  percent,
}: Pick<Rollout, 'groups' | 'percent'>): string | undefined {
  return percent === 0 ? groups.at(-1) : undefined;
}

/** `5 %`, or the group that was included last: `group canary`. */
export function describeStage({
  percent,
  groups = [],
}: {
  readonly percent: number;
  readonly groups?: readonly string[] | undefined;
}): string {
  const newest = newestGroup({ percent, groups });
  return newest === undefined ? `${percent} %` : `group ${newest}`;
}
