const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_INTERVAL_MS: number = MINUTE;
/** The shortest interval that can be configured. */
export const LEAST_INTERVAL_MS: number = 5 * SECOND;
/** The longest interval that can be configured. */
export const LONGEST_INTERVAL_MS: number = 24 * 60 * MINUTE;
/** The longest back-off, unless the interval is longer. */
const LONGEST_BACKOFF_MS = 10 * MINUTE;
/** The longest back-off before jitter, which makes it up to twice as long. */
const LONGEST_BASE_BACKOFF_MS = LONGEST_BACKOFF_MS / 2;
const JITTER = 0.1;
/** The shortest time between a round and one that a change feed triggers. */
export const FEED_REST_MS = 500;

/**
 * The time until the next round in milliseconds, after `failures` failed rounds in a row: the interval plus or minus
 * 10 %, or after a failure an exponential back-off, times one to two. `random` is from 0 to 1.
 */
export function untilNextRound(intervalMs: number, failures: number, random: number): number {
  if (isSteady(intervalMs, failures)) {
    return Math.max(LEAST_INTERVAL_MS, intervalMs * (1 - JITTER + 2 * JITTER * random));
  }
  return backoff(intervalMs, failures, random);
}

/** The longest time in milliseconds between two rounds of a registry that does not fail. */
export function longestInterval(intervalMs: number): number {
  return intervalMs * (1 + JITTER);
}

/** Whether rounds keep the interval: a long interval needs no back-off. */
function isSteady(intervalMs: number, failures: number): boolean {
  return failures === 0 || intervalMs > LONGEST_BASE_BACKOFF_MS;
}

/**
 * The time until the first round in milliseconds. It spreads machines that boot together as if they had polled before,
 * so that they do not poll together: first rounds become rarer as second rounds begin (T66). `random` is from 0 to 1.
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
  /** If it began early, by a change feed or on a new machine: the time until it was due, negative if that has passed. */
  readonly earlyMs: number | undefined;
  /** Whether a new machine still waits for its first answer. */
  readonly isAwaited: boolean;
}

/** The operator of a new machine waits (D73). */
const AWAITED_RETRY_MS = 5 * SECOND;

/**
 * The time between this round and the next in milliseconds. Machines that receive a change or a `Retry-After` together
 * stay as far apart as they were (T66): after a round that began early, the next is when it was due anyway,
 * and a `Retry-After` is rounded up to whole intervals. `random` is from 0 to 1.
 */
export function untilRoundAfter(round: EndedRound, intervalMs: number, random: number): number {
  const { failures, retryAfterMs, earlyMs, isAwaited } = round;
  const wait = isAwaited
    ? backoff(AWAITED_RETRY_MS, failures, random)
    : untilNextRound(intervalMs, failures, random);
  const isWoken = earlyMs !== undefined && !isAwaited && isSteady(intervalMs, failures);
  if (!isWoken && retryAfterMs <= wait) return wait;
  const from = earlyMs ?? 0;
  const least = Math.max(retryAfterMs, FEED_REST_MS);
  if (from >= least) return from;
  const whole = Math.ceil((least - from) / intervalMs) - 1;
  const next = from + whole * intervalMs + untilNextRound(intervalMs, 0, random);
  // Jitter that would make it too early makes it later by as much.
  return least + Math.abs(next - least);
}

const FIRST_RETRY_MS = 30 * SECOND;

/** The time in milliseconds until an action that failed `failures` times because of the machine is delivered again. */
export function untilRedelivery(failures: number, random: number): number {
  return backoff(FIRST_RETRY_MS, failures, random);
}

/** Equal jitter: machines that failed together do not retry together, and none retries at once. */
function backoff(firstMs: number, failures: number, random: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), LONGEST_BASE_BACKOFF_MS) * (1 + random);
}
