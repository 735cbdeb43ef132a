import type { FailureCount, Rollout } from './rollout.ts';
import type { RolloutPolicy } from './rollout-policy.ts';
import { stageAfter, type Stage } from './stage.ts';
import type { Counts, Tally } from './tally.ts';
import { wilson } from './wilson.ts';

/** The machines that are healthy, and how many must be before the next step. */
interface Health {
  readonly healthy: number;
  readonly needed: number;
}

/** The machines of a step that failed, of all. */
interface FailedStep {
  readonly failed: number;
  readonly machines: number;
}

/** Why a rollout halts: `count` of `trials` machines failed, or failed and became silent, certainly more than `limit` of them. */
interface TooManyFailures {
  readonly reason: 'failures' | 'failures-and-silence';
  readonly count: number;
  readonly trials: number;
  /** The lowest failure rate that agrees with these counts. */
  readonly lowerBound: number;
  readonly limit: number;
}

/** What to do about a rollout now, and the facts behind it. */
export type NextStep =
  | {
      readonly kind: 'wait';
      readonly because:
        | { readonly reason: 'halted' | 'completed' | 'retracted' }
        | { readonly reason: 'soaking'; readonly until: number }
        | ({ readonly reason: 'few-healthy' } & Health)
        | ({ readonly reason: 'failing' } & FailedStep);
    }
  | ({ readonly kind: 'raise'; readonly because: Health } & Stage)
  | {
      readonly kind: 'halt';
      readonly because:
        TooManyFailures | { readonly reason: 'failed-step'; readonly machines: number };
      /** What the person who resumes it has to acknowledge. */
      readonly failures: FailureCount;
    }
  | { readonly kind: 'complete'; readonly because: Health };

/** What to do about a rollout at `now`, whose clock is that of the rollout's events. Pure. */
export function nextStep(
  rollout: Rollout,
  tally: Tally,
  policy: RolloutPolicy,
  now: number,
): NextStep {
  // Only a person resumes a halted rollout (D53).
  if (rollout.status !== 'running') return { kind: 'wait', because: { reason: rollout.status } };
  // Each group is a step of its own: the ones before it say nothing of it (D107).
  const step = tally.newest ?? tally;
  const failing = failedStep(step);
  const hasFailed =
    failing !== undefined &&
    Math.min(failing.failed, tally.failed - rollout.acknowledged.failed) >= failing.machines;
  const tooMany =
    failuresIn(tally, rollout.acknowledged, policy) ??
    (hasFailed ? ({ reason: 'failed-step', machines: failing.machines } as const) : undefined);
  if (tooMany) {
    const { failed, silent } = tally;
    return { kind: 'halt', because: tooMany, failures: { failed, silent } };
  }
  if (failing) return { kind: 'wait', because: { reason: 'failing', ...failing } };
  const until = rollout.soakingSince + policy.soakMs;
  if (now < until) return { kind: 'wait', because: { reason: 'soaking', until } };
  const health = healthOf(step, policy);
  const { healthy, needed } = health;
  if (healthy < needed) return { kind: 'wait', because: { reason: 'few-healthy', ...health } };
  const stage = stageAfter(rollout, policy.steps);
  return stage
    ? { kind: 'raise', ...stage, because: health }
    : { kind: 'complete', because: health };
}

/** A step of which each machine that reported an outcome has failed; undefined if it is none (D157). */
function failedStep({
  waiting,
  installing,
  healthy,
  failed,
  silent,
}: Counts): FailedStep | undefined {
  if (failed === 0 || healthy > 0) return undefined;
  return { failed, machines: waiting + installing + failed + silent };
}

/** A few machines, or a step of which most are offline, show little, and without reports nothing does (D52). */
function healthOf(
  { waiting, installing, healthy, failed, silent }: Counts,
  { healthyPart, fewestHealthy }: RolloutPolicy,
): Health {
  const all = waiting + installing + healthy + failed + silent;
  const part = Math.ceil(all * healthyPart);
  return { healthy, needed: Math.max(1, Math.min(all, Math.max(part, fewestHealthy))) };
}

/**
 * More failures than the policy allows, beyond those that were acknowledged; undefined if the rate may be lower. A rate of
 * few machines is uncertain, so its lower bound decides, and not the rate itself (D53).
 */
function failuresIn(
  { installing, healthy, failed, silent, control }: Tally,
  acknowledged: FailureCount,
  { z, fewestFailures, highestRate }: RolloutPolicy,
): TooManyFailures | undefined {
  const newlyFailed = Math.max(0, failed - acknowledged.failed);
  const newlySilent = Math.max(0, silent - acknowledged.silent);
  // A failure is reported sooner than health, so the machines that are still installing count as well.
  const trials = newlyFailed + newlySilent + healthy + installing;
  const excess = (
    reason: TooManyFailures['reason'],
    count: number,
    limit: number,
  ): TooManyFailures | undefined => {
    const { lower } = wilson(count, trials, z);
    if (count < fewestFailures || lower <= limit) return undefined;
    return { reason, count, trials, lowerBound: lower, limit };
  };
  // Machines without the release become silent too. Without any of them, silence says nothing.
  const usual = wilson(control.silent, control.heard, z).upper;
  return (
    excess('failures', newlyFailed, highestRate) ??
    excess('failures-and-silence', newlyFailed + newlySilent, highestRate + usual)
  );
}
