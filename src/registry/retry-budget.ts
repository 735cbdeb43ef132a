/** Limits the retries of one round to a tenth of its requests, but at least three. */
export interface RetryBudget {
  requests: number;
  retries: number;
}

export function retryBudget(): RetryBudget {
  return { requests: 0, retries: 0 };
}

/** A budget that allows no retries. */
export function noRetries(): RetryBudget {
  return { requests: 0, retries: Infinity };
}
