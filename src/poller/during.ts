/** Shared by all calls: creating an error takes longer than most work that it ends. */
const ENDED = new Error('the work that this signal belongs to has ended');

/** Runs `work` with a signal that is aborted when `signal` is, and when `work` has settled. */
export async function during<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await work(ending.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    ending.abort(ENDED);
  }
}
