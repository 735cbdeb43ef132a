/** What the requests of one round may be repeated: a tenth of them, and three in any case. */
export interface RetryBudget {
  requests: number;
  retries: number;
}

export function retryBudget(): RetryBudget {
  return { requests: 0, retries: 0 };
}

/** For what is not to be repeated. */
export function noRetries(): RetryBudget {
  return { requests: 0, retries: Infinity };
}
