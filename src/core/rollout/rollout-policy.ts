const HOUR = 3_600_000;

/** When a rollout is raised, and when it is halted. */
export interface RolloutPolicy {
  /** The percentages of the steps, ascending. The last one is 100. */
  readonly steps: readonly number[];
  /** How long each step lasts at least, in milliseconds. */
  readonly soakMs: number;
  /** A machine that was not heard for this long after the delivery of the release is silent. In milliseconds. */
  readonly silenceMs: number;
  /** Fewer failures never halt a rollout. */
  readonly fewestFailures: number;
  /** A rollout halts if its failure rate is certainly higher. */
  readonly highestRate: number;
  /** What "certainly" means: the number of standard deviations. */
  readonly z: number;
  /** The part of the step's machines that must be healthy before the next step. */
  readonly healthyPart: number;
  /** At least this many machines must be healthy before the next step, or all if the step has fewer. */
  readonly fewestHealthy: number;
}

/** The policy of a rollout that sets nothing else. */
export const ROLLOUT_POLICY: RolloutPolicy = {
  steps: [0.1, 1, 5, 20, 50, 100],
  soakMs: HOUR,
  silenceMs: 2 * HOUR,
  fewestFailures: 3,
  highestRate: 0.01,
  z: 3.09,
  healthyPart: 0.5,
  fewestHealthy: 5,
};
