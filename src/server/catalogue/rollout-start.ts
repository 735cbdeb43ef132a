import { randomUUID } from 'node:crypto';
import type { ModuleId } from '../../core/index.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { shareFor, stepsFor } from '../../core/rollout/share.ts';
import type { PublishedRelease } from './published-release.ts';
import type { NewRolloutEvent } from './rollout-event.ts';

/** A release that a rollout is about. */
export interface RollingRelease {
  readonly version: string;
  /** The platforms that it has artifacts for; undefined if it lists none, and runs on all. */
  readonly platforms: readonly string[] | undefined;
  /** The groups that get it first; absent if there are none. */
  readonly first?: readonly string[] | undefined;
}

/** The event that begins a rollout. */
export type RolloutStart = Extract<NewRolloutEvent, { kind: 'started' }>;

/** The event that begins the rollout of a release at the time `at`, for the machines that may get it. */
export type FirstStep = (moduleId: ModuleId, release: RollingRelease, at: number) => RolloutStart;

/** The first step while no machine is known. */
export const FIRST_STEP_OF_NONE: FirstStep = (_moduleId, { first }, at) =>
  startEvent(newSalt(), [], at, first);

/** Text of one rollout alone. */
export function newSalt(): string {
  return randomUUID();
}

/** The event that begins a rollout at its first group, else at its first step, with the cohorts of the machines that may get the release. */
export function startEvent(
  salt: string,
  cohorts: readonly number[],
  at: number,
  first: readonly string[] = [],
): RolloutStart {
  const head = { kind: 'started', after: 0, at, salt } as const;
  if (first.length > 0) return { ...head, percent: 0, share: 0, first: [...first] };
  const place = { known: cohorts.length, included: 0 };
  const [percent = 100] = stepsFor(place, ROLLOUT_POLICY.steps);
  return { ...head, percent, share: shareFor(percent, cohorts) };
}

/** A release that is published, as one that a rollout is about. */
export function rollingRelease(release: PublishedRelease): RollingRelease {
  return {
    version: release.version,
    platforms: release.artifacts?.map(({ platform }) => platform),
    first: release.rollout?.first,
  };
}
