/** Shared by all calls: creating an error takes longer than most work that it ends. */
const OVER = new Error('the work that this belongs to is over');

/** Runs `work` with a signal that is aborted when `signal` is, and when `work` has settled. */
export async function during<T>(
  signal: AbortSignal,
  work: (own: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const onAbort = (): void => over.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await work(over.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    over.abort(OVER);
  }
}
