import { randomUUID } from 'node:crypto';
import { cohort } from '../../core/rollout/cohort.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { shareFor } from '../../core/rollout/share.ts';
import type { NewRolloutEvent } from './rollout-table.ts';

/** A release that a rollout is about. */
export interface RollingRelease {
  readonly version: string;
  /** The platforms that it has artifacts for; undefined if it lists none, and runs on all. */
  readonly platforms: readonly string[] | undefined;
}

/** The event that begins a rollout at its first step. `machines` are the ids of those that may get the release. */
export function startEvent(
  machines: readonly string[],
  at: number,
): Extract<NewRolloutEvent, { kind: 'started' }> {
  const salt = randomUUID();
  const [percent = 100] = ROLLOUT_POLICY.steps;
  const share = shareFor(
    percent,
    machines.map((id) => cohort(id, salt)),
  );
  return { kind: 'started', after: 0, at, salt, percent, share };
}
