/** One for all: to make one takes longer than what it is made for. */
const OVER = new Error('what this was asked for is over');

/** What `work` comes to, with a signal that is aborted when `signal` is, and once `work` is over. */
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
