import { hash } from 'node:crypto';

const BYTES = 6;
/** The distance between two neighbouring cohorts. */
export const COHORT_STEP: number = 2 ** (-8 * BYTES);

/**
 * The place of a machine in the rollouts with this salt: from 0 up to, and not including, 1. The same id and salt always have
 * the same place (D49). Each rollout has its own salt, because otherwise the same machines would be the first in each.
 */
export function cohort(machineId: string, salt: string): number {
  const digest = hash('sha256', `${salt}\0${machineId}`, 'buffer');
  return digest.readUIntBE(0, BYTES) * COHORT_STEP;
}
