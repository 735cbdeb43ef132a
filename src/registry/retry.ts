import pRetry from 'p-retry';
import type { Clock } from './clock.ts';
import { RegistryError, type RegistryErrorKind } from './registry-error.ts';
import type { RetryBudget } from './retry-budget.ts';

/** What may be otherwise a moment later. */
const RETRIED: ReadonlySet<RegistryErrorKind> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
]);
const MOST_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;

const LEAST_RETRIES = 3;
const SHARE = 0.1;

export interface Patience {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** No attempt begins later than this after the first. */
  readonly patienceMs: number;
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
  /** Told of each failure that is followed by another attempt, and in how many milliseconds. */
  readonly onRetry: (error: RegistryError, delayMs: number) => void;
}

/**
 * What `attempt` comes to, at most at the third time: the only place where anything is tried again.
 * Throws the RegistryError of the last attempt, or the reason of `signal`.
 */
export async function retrying<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const { clock, random, patienceMs, budget, signal, onRetry } = patience;
  const began = clock.monotonic();
  budget.requests++;
  return await pRetry(attempt, {
    retries: MOST_ATTEMPTS - 1,
    // The delay is slept below, on our clock.
    minTimeout: 0,
    signal,
    async shouldRetry({ error, attemptNumber }) {
      if (!(error instanceof RegistryError) || !RETRIED.has(error.kind)) return false;
      const delay = Math.max(error.retryAfterMs ?? 0, backOff(attemptNumber, random));
      const isLate = clock.monotonic() + delay - began > patienceMs;
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

/** Between half and the whole of a time that doubles: those who failed together do not come back together. */
function backOff(attempt: number, random: () => number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + random());
}
