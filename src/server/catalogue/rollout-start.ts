import { randomUUID } from 'node:crypto';
import type { ModuleId } from '../../core/index.ts';
import { cohort } from '../../core/rollout/cohort.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { shareFor } from '../../core/rollout/share.ts';
import { platformsOf, type PublishedRelease } from './published-release.ts';
import type { NewRolloutEvent } from './rollout-table.ts';

/** A release that a rollout is about. */
export interface RollingRelease {
  readonly version: string;
  /** The platforms that it has artifacts for; undefined if it lists none, and runs on all. */
  readonly platforms: readonly string[] | undefined;
}

/** The event that begins a rollout. */
export type RolloutStart = Extract<NewRolloutEvent, { kind: 'started' }>;

/** The event that begins a rollout at its first step. `machines` are the ids of those that may get the release. */
export function startEvent(machines: readonly string[], at: number): RolloutStart {
  const salt = randomUUID();
  const [percent = 100] = ROLLOUT_POLICY.steps;
  const share = shareFor(
    percent,
    machines.map((id) => cohort(id, salt)),
  );
  return { kind: 'started', after: 0, at, salt, percent, share };
}

/** The ids of the machines that may get a release. */
export type MachinesFor = (moduleId: ModuleId, release: RollingRelease) => readonly string[];

/** The event that begins the rollout of a release that is published now; undefined if it begins none. */
export function startOf(
  machinesFor: MachinesFor,
  {
    moduleId,
    release,
    now,
  }: { readonly moduleId: ModuleId; readonly release: PublishedRelease; readonly now: number },
): RolloutStart | undefined {
  const { version, rollout } = release;
  const platforms = platformsOf(release);
  return rollout && startEvent(machinesFor(moduleId, { version, platforms }), now);
}
