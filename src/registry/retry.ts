import pRetry from 'p-retry';
import type { Clock } from './clock.ts';
import { RegistryError, type RegistryErrorKind } from './registry-error.ts';
import type { RetryBudget } from './retry-budget.ts';

/** Errors that may be temporary. */
const RETRIED: ReadonlySet<RegistryErrorKind> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
]);
const MOST_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;

const LEAST_RETRIES = 3;
const SHARE = 0.1;

export interface RetryOptions {
  readonly clock: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  /** The time after the first attempt, in milliseconds, in which another attempt may begin. */
  readonly retryWithinMs: number;
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
  /** Called before each retry with the error and the delay in milliseconds. */
  readonly onRetry: (error: RegistryError, delayMs: number) => void;
}

/**
 * The result of `attempt`, which runs at most three times. Nothing else in the project retries requests. Throws the
 * RegistryError of the last attempt, or the reason of `signal`.
 */
export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, retryWithinMs, budget, signal, onRetry } = options;
  const began = clock.monotonic();
  budget.requests++;
  return await pRetry(attempt, {
    retries: MOST_ATTEMPTS - 1,
    // Its delays know neither a Retry-After (T22) nor the clock and random numbers that were passed, and its `maxRetryTime` shortens the
    // last delay instead of giving up. So `shouldRetry` sleeps, within the budget of retries (R1).
    minTimeout: 0,
    signal,
    async shouldRetry({ error, attemptNumber }) {
      if (!(error instanceof RegistryError) || !RETRIED.has(error.kind)) return false;
      const delay = Math.max(error.retryAfterMs ?? 0, backOff(attemptNumber, random));
      const isLate = clock.monotonic() + delay - began > retryWithinMs;
      if (isLate || budget.retries >= mostRetries(budget)) return false;
      budget.retries++;
      onRetry(error, delay);
      await clock.sleep(delay, signal);
      return true;
    },
  });
}

function mostRetries({ requests }: RetryBudget): number {
  return Math.max(LEAST_RETRIES, Math.floor(requests * SHARE));
}

/** Exponential back-off with jitter, so that clients that failed together do not retry together. */
function backOff(attempt: number, random: () => number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + random());
}
