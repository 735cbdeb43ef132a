const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_INTERVAL_MS: number = MINUTE;
/** The shortest interval that can be configured. */
export const LEAST_INTERVAL_MS: number = 5 * SECOND;
/** The longest interval that can be configured. */
export const LONGEST_INTERVAL_MS: number = 24 * 60 * MINUTE;
/** The longest back-off, unless the interval is longer. */
const LONGEST_BACKOFF_MS = 10 * MINUTE;
/** Jitter makes a back-off up to twice as long. */
const MOST_OF_BACKOFF_MS = LONGEST_BACKOFF_MS / 2;
const JITTER = 0.1;
/** The least time between a round and one that a feed of changes causes. */
export const FEED_REST_MS = 500;

/**
 * The time until the next round, in milliseconds, after this many failed rounds in a row: the interval, 10 % more or
 * less, or after a failure a back-off of one to two times a time that doubles. `random` is from 0 to 1.
 */
export function untilNextRound(intervalMs: number, failures: number, random: number): number {
  if (isSteady(intervalMs, failures)) {
    return Math.max(LEAST_INTERVAL_MS, intervalMs * (1 - JITTER + 2 * JITTER * random));
  }
  return backoff(intervalMs, failures, random);
}

/** Whether rounds keep to the interval: a long interval needs no back-off. */
function isSteady(intervalMs: number, failures: number): boolean {
  return failures === 0 || intervalMs > MOST_OF_BACKOFF_MS;
}

/**
 * The time until the first round, in milliseconds, so that machines that boot together do not ask together: as if
 * they had polled before. First rounds become rarer as second rounds begin. (T66)
 */
export function firstPhase(intervalMs: number, random: number): number {
  if (random <= 1 - JITTER) return intervalMs * random;
  return intervalMs * (1 + JITTER - Math.sqrt(4 * JITTER * (1 - random)));
}

/** How a round ended. */
export interface EndedRound {
  /** Failed rounds in a row, including this one. */
  readonly failures: number;
  /** The `Retry-After` of the registry, in milliseconds; 0 without one. */
  readonly retryAfterMs: number;
  /** If a feed of changes caused the round: how long until it would have begun without, negative if that has passed. */
  readonly earlyMs: number | undefined;
}

/**
 * The time between this round and the next, in milliseconds. Machines that hear of something together stay as far
 * apart as they were: one that its feed woke asks again when it was due anyway, and a `Retry-After` is waited for in
 * whole intervals. `random` is from 0 to 1. (T66)
 */
export function untilRoundAfter(round: EndedRound, intervalMs: number, random: number): number {
  const { failures, retryAfterMs, earlyMs } = round;
  const wait = untilNextRound(intervalMs, failures, random);
  const isWoken = earlyMs !== undefined && isSteady(intervalMs, failures);
  if (!isWoken && retryAfterMs <= wait) return wait;
  const from = earlyMs ?? 0;
  const least = Math.max(retryAfterMs, FEED_REST_MS);
  if (from >= least) return from;
  const whole = Math.ceil((least - from) / intervalMs) - 1;
  const next = from + whole * intervalMs + untilNextRound(intervalMs, 0, random);
  // Jitter that would make it too early makes it as much later.
  return least + Math.abs(next - least);
}

const FIRST_RETRY_MS = 30 * SECOND;

/** The time until an action is delivered again that failed so many times because of the machine, in milliseconds. */
export function untilRedelivery(failures: number, random: number): number {
  return backoff(FIRST_RETRY_MS, failures, random);
}

/** Equal jitter: machines that failed together do not come back together, and none comes back at once. */
function backoff(firstMs: number, failures: number, random: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), MOST_OF_BACKOFF_MS) * (1 + random);
}
