import type { Rollout } from './rollout.ts';
import type { RolloutPolicy } from './rollout-policy.ts';

/** What is known of one machine that may get a release. Times are milliseconds since the epoch. */
export interface RolloutMachine {
  readonly cohort: number;
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
  const { cohort, heardAt = -Infinity, delivery } = machine;
  if (delivery) return machine;
  const includedBy = steps.find(({ share }) => cohort < share);
  if (includedBy === undefined || includedBy.at - heardAt >= silenceMs) return undefined;
  return { ...machine, delivery: { at: includedBy.at, outcome: undefined } };
}

/** The machines of a rollout, counted by what is known of them. */
export interface Tally {
  /** The release is not yet delivered to them. */
  readonly waiting: number;
  /** Delivered, and not silent for long. */
  readonly installing: number;
  readonly healthy: number;
  readonly failed: number;
  /** Delivered, and not heard for too long. */
  readonly silent: number;
  /** The machines outside the share that were heard during the step, and how many of them became silent. */
  readonly control: { readonly heard: number; readonly silent: number };
}

/** Counts the machines of a rollout (D53). Machines outside its share that have the release, for example pinned ones, do not count. */
export function tally(
  machines: Iterable<RolloutMachine>,
  { share, soakingSince }: Pick<Rollout, 'share' | 'soakingSince'>,
  { silenceMs }: Pick<RolloutPolicy, 'silenceMs'>,
  now: number,
): Tally {
  const counts = { waiting: 0, installing: 0, healthy: 0, failed: 0, silent: 0 };
  const control = { heard: 0, silent: 0 };
  for (const { cohort, heardAt = -Infinity, delivery } of machines) {
    if (cohort >= share) {
      if (heardAt < soakingSince) continue;
      control.heard++;
      if (now - heardAt >= silenceMs) control.silent++;
    } else if (delivery) {
      const isSilent = now - Math.max(heardAt, delivery.at) >= silenceMs;
      counts[delivery.outcome ?? (isSilent ? 'silent' : 'installing')]++;
    } else counts.waiting++;
  }
  return { ...counts, control };
}
