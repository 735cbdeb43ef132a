import { includes } from './group.ts';
import type { Rollout } from './rollout.ts';
import type { RolloutPolicy } from './rollout-policy.ts';
import { newestGroup } from './stage.ts';

/** What is known of one machine that may get a release. Times are milliseconds since the epoch. */
export interface RolloutMachine {
  readonly cohort: number;
  /** Absent if it is in none. */
  readonly group?: string | undefined;
  /** When the machine was last heard; undefined if it never was. */
  readonly heardAt: number | undefined;
  /** The delivery of the release to the agent; undefined if none is known. */
  readonly delivery:
    | {
        readonly at: number;
        /** What the machine reported since; undefined if nothing yet. A release that has failed stays failed. */
        readonly outcome: 'healthy' | 'failed' | undefined;
      }
    | undefined;
}

/**
 * A retired machine as it counts in a rollout; undefined if it does not, because it was already silent when the step that includes it
 * began. Any other may have got the release then and become silent by it before it could report that: it counts as one that did (D83).
 */
export function retiredMachine(
  machine: RolloutMachine,
  { steps }: Pick<Rollout, 'steps'>,
  { silenceMs }: Pick<RolloutPolicy, 'silenceMs'>,
): RolloutMachine | undefined {
  const { heardAt = -Infinity, delivery } = machine;
  if (delivery) return machine;
  const includedBy = steps.find((step) => includes(step, machine));
  if (includedBy === undefined || includedBy.at - heardAt >= silenceMs) return undefined;
  return { ...machine, delivery: { at: includedBy.at, outcome: undefined } };
}

/** Machines that a rollout includes, counted by what is known of them. */
export interface Counts {
  /** The release is not yet delivered to them. */
  readonly waiting: number;
  /** Delivered, and not silent for long. */
  readonly installing: number;
  readonly healthy: number;
  readonly failed: number;
  /** Delivered, and not heard for too long. */
  readonly silent: number;
}

/** The machines of a rollout. */
export interface Tally extends Counts {
  /** Those of the group that was included last (D107); absent once there is a percentage. */
  readonly newest?: Counts | undefined;
  /** The machines outside the share that were heard during the step, and how many of them became silent. */
  readonly control: { readonly heard: number; readonly silent: number };
}

/** Counts the machines of a rollout (D53). Machines outside its share that have the release, for example pinned ones, do not count. */
export function tally(
  machines: Iterable<RolloutMachine>,
  rollout: Pick<Rollout, 'share' | 'groups' | 'percent' | 'soakingSince'>,
  { silenceMs }: Pick<RolloutPolicy, 'silenceMs'>,
  now: number,
): Tally {
  const last = newestGroup(rollout);
  const counts = noneOf();
  const newest = noneOf();
  const control = { heard: 0, silent: 0 };
  for (const machine of machines) {
    const { heardAt = -Infinity, delivery, group } = machine;
    if (includes(rollout, machine)) {
      const isSilent = delivery && now - Math.max(heardAt, delivery.at) >= silenceMs;
      const what = delivery
        ? (delivery.outcome ?? (isSilent ? 'silent' : 'installing'))
        : 'waiting';
      counts[what]++;
      if (group === last) newest[what]++;
    } else if (heardAt >= rollout.soakingSince) {
      control.heard++;
      if (now - heardAt >= silenceMs) control.silent++;
    }
  }
  return { ...counts, ...(last !== undefined && { newest }), control };
}

function noneOf(): { -readonly [K in keyof Counts]: Counts[K] } {
  return { waiting: 0, installing: 0, healthy: 0, failed: 0, silent: 0 };
}
