import { sha256 } from './sha256.ts';

const BYTES = 6;
/** The distance between two neighbouring cohorts. */
export const COHORT_STEP: number = 2 ** (-8 * BYTES);

const ENCODER = new TextEncoder();

/**
 * The place of a machine in the rollouts with this salt: from 0 up to, and not including, 1. The same id and salt always have
 * the same place (D49). Each rollout has its own salt, because otherwise the same machines would be the first in each.
 */
export function cohort(machineId: string, salt: string): number {
  const [first = 0, second = 0] = sha256(ENCODER.encode(`${salt}\0${machineId}`));
  return (first * 2 ** 16 + (second >>> 16)) * COHORT_STEP;
}
