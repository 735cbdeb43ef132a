const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_INTERVAL_MS: number = MINUTE;
/** A registry is not asked more often, whatever is configured. */
export const LEAST_INTERVAL_MS: number = 5 * SECOND;
/** Whoever would ask more seldom does not poll. */
export const LONGEST_INTERVAL_MS: number = 24 * 60 * MINUTE;
/** The longest that a failing registry is left alone for, unless the interval is longer. */
const LONGEST_BACKOFF_MS = 10 * MINUTE;
/** It is up to twice this. */
const MOST_OF_BACKOFF_MS = LONGEST_BACKOFF_MS / 2;
const JITTER = 0.1;
/** Between two rounds of which the feed of changes asks for one. */
export const FEED_REST_MS = 500;

/**
 * The time between a round and the next, in milliseconds, after so many failed ones in a row: the interval, 10 %
 * more or less, and from the first failure on between one and two of a time that doubles. `random` is from 0 to 1.
 */
export function untilNextRound(intervalMs: number, failures: number, random: number): number {
  if (isSteady(intervalMs, failures)) {
    return Math.max(LEAST_INTERVAL_MS, intervalMs * (1 - JITTER + 2 * JITTER * random));
  }
  return backoff(intervalMs, failures, random);
}

/** Whether the interval is the time between two rounds: whoever asks seldom anyway asks no more seldom. */
function isSteady(intervalMs: number, failures: number): boolean {
  return failures === 0 || intervalMs > MOST_OF_BACKOFF_MS;
}

/**
 * When the first round is, so that machines that boot together do not ask together: as if they had polled before. The
 * first rounds grow fewer as the second ones begin. (T66)
 */
export function firstPhase(intervalMs: number, random: number): number {
  if (random <= 1 - JITTER) return intervalMs * random;
  return intervalMs * (1 + JITTER - Math.sqrt(4 * JITTER * (1 - random)));
}

/** How a round ended. */
export interface EndedRound {
  /** In a row, this one included. */
  readonly failures: number;
  /** What the registry asks for, in milliseconds; 0 where it asks for nothing. */
  readonly retryAfterMs: number;
  /** How long until it would have begun, where a feed of changes had it sooner; negative where that is past. */
  readonly earlyMs: number | undefined;
}

/**
 * The time between this round and the next, in milliseconds. Machines that are told something together stay as far
 * apart as they were: one that was woken asks again when it would have asked anyway, and what a registry asks for is
 * waited for in whole intervals. `random` is from 0 to 1. (T66)
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
  // What chance has come too soon comes as much too late.
  return least + Math.abs(next - least);
}

const FIRST_RETRY_MS = 30 * SECOND;

/** How long an action waits that the machine failed so many times, in milliseconds. */
export function untilRedelivery(failures: number, random: number): number {
  return backoff(FIRST_RETRY_MS, failures, random);
}

/** Equal jitter: who failed together does not come back together, and nobody comes back at once. */
function backoff(firstMs: number, failures: number, random: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), MOST_OF_BACKOFF_MS) * (1 + random);
}
