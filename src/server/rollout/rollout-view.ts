import { cohort } from '../../core/rollout/cohort.ts';
import { includes } from '../../core/rollout/group.ts';
import { nextStep, type NextStep } from '../../core/rollout/next-step.ts';
import type { Rollout } from '../../core/rollout/rollout.ts';
import { ROLLOUT_POLICY, type RolloutPolicy } from '../../core/rollout/rollout-policy.ts';
import { shareFor, stepsFor } from '../../core/rollout/share.ts';
import {
  retiredMachine,
  tally,
  type RolloutMachine,
  type Tally,
} from '../../core/rollout/tally.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { NamedRollout } from '../catalogue/catalogue-rollouts.ts';
import { rolloutMachines, type ReportingMachine } from '../fleet/rollout-machines.ts';
import { eachInSlices, type Slices } from '../fleet/slices.ts';
import { soakedMs } from '../fleet/soak.ts';

/** A rollout, and what is known of its machines. */
export interface RolloutView extends NamedRollout {
  readonly tally: Tally;
  /** The ids of those that it counts as failed. The release may fail on others, too: on pinned ones, for example. */
  readonly failed: ReadonlySet<string>;
  /** How many of its machines without an outcome try the release again, after a failure that is not the release's (D184). */
  readonly retrying: number;
  /** How long its step has lasted while a controller ran, in milliseconds. */
  readonly soakedMs: number;
  readonly next: NextStep;
  /** The machines that its share includes, of those that may get the release. */
  readonly included: number;
  /** The percentages that are left, each with more machines than the one before it. */
  readonly steps: readonly number[];
  /** The share of a step, which never falls. 0 % is that of the groups, and adds none. */
  readonly shareAt: (percent: number) => number;
}

/** What reports say about a rollout at `now`. */
export function* rolloutView(
  sql: Statements,
  named: NamedRollout,
  now: number,
): Slices<RolloutView> {
  const { moduleId, rollout, soakMs } = named;
  const found: Found = { machines: [], failed: new Set(), retrying: 0 };
  const reporting = yield* rolloutMachines(sql, moduleId, named);
  yield* eachInSlices(reporting, (one) => add(found, one, rollout));
  const { machines, failed, retrying } = found;
  const soaked = soakedMs(sql, rollout);
  // A percentage is one of the machines that no group includes (D107).
  const cohorts = machines.flatMap(({ group, cohort: place }) =>
    group !== undefined && rollout.first.includes(group) ? [] : [place],
  );
  const steps = stepsLeft(rollout, cohorts);
  const policy: RolloutPolicy = { ...ROLLOUT_POLICY, soakMs, steps };
  const counts = tally(machines, rollout, policy, now);
  return {
    ...named,
    steps,
    tally: counts,
    failed,
    retrying,
    soakedMs: soaked,
    // The soak is elapsed time, and not what the clock of the machine says (T161).
    next: nextStep(rollout, counts, policy, rollout.soakingSince + soaked),
    included: machines.filter((machine) => includes(rollout, machine)).length,
    shareAt: (percent) => {
      if (percent === 0) return rollout.share;
      return Math.max(rollout.share, shareFor(percent, cohorts));
    },
  };
}

interface Found {
  readonly machines: RolloutMachine[];
  readonly failed: Set<string>;
  retrying: number;
}

function add(found: Found, machine: ReportingMachine, rollout: Rollout): void {
  const { id, group, isRetired, isRetrying, heardAt, delivery } = machine;
  const known = { group, heardAt, delivery, cohort: cohort(id, rollout.salt) };
  const counted = isRetired ? retiredMachine(known, rollout, ROLLOUT_POLICY) : known;
  if (!counted) return;
  found.machines.push(counted);
  if (delivery?.outcome === 'failed' && includes(rollout, known)) found.failed.add(id);
  if (isRetrying && !delivery?.outcome && includes(rollout, known)) found.retrying++;
}

/** The percentages above that of the last step that include more machines. */
function stepsLeft({ share, percent }: Rollout, cohorts: readonly number[]): readonly number[] {
  const included = cohorts.filter((one) => one < share).length;
  const steps = stepsFor({ known: cohorts.length, included }, ROLLOUT_POLICY.steps);
  return steps.filter((step) => step > percent);
}
