const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_INTERVAL_MS: number = MINUTE;
/** A registry is not asked more often, whatever is configured. */
export const LEAST_INTERVAL_MS: number = 5 * SECOND;
/** Whoever would ask more seldom does not poll. */
export const LONGEST_INTERVAL_MS: number = 24 * 60 * MINUTE;
/** The longest that a failing registry is left alone for, unless the interval is longer. */
const LONGEST_BACKOFF_MS = 10 * MINUTE;
const JITTER = 0.1;

/**
 * The time between a round and the next, in milliseconds, after so many failed ones in a row: the interval, 10 %
 * more or less, and from the first failure on between one and two of a time that doubles. `random` is from 0 to 1.
 */
export function untilNextRound(intervalMs: number, failures: number, random: number): number {
  const mostOfBackoff = LONGEST_BACKOFF_MS / 2;
  if (failures === 0 || intervalMs > mostOfBackoff) {
    return Math.max(LEAST_INTERVAL_MS, intervalMs * (1 - JITTER + 2 * JITTER * random));
  }
  return backoff(intervalMs, failures, random);
}

/** When the first round is, so that machines that boot together do not ask together. */
export function firstPhase(intervalMs: number, random: number): number {
  return intervalMs * random;
}

const FIRST_RETRY_MS = 30 * SECOND;

/** How long an action waits that the machine failed so many times, in milliseconds. */
export function untilRedelivery(failures: number, random: number): number {
  return backoff(FIRST_RETRY_MS, failures, random);
}

/** Equal jitter: who failed together does not come back together, and nobody comes back at once. */
function backoff(firstMs: number, failures: number, random: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), LONGEST_BACKOFF_MS / 2) * (1 + random);
}
