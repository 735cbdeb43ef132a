/** When work that is repeated runs again. */
export interface Pauses {
  /** Before the first time, and after each one at least, in milliseconds. */
  readonly everyMs: number;
  /** So many times as long as the work took, if that is longer. */
  readonly factor: number;
}

/** Calls `work`, which never rejects, again and again until the returned function is called, which waits for the last one. */
export function repeated(
  work: () => Promise<void>,
  { everyMs, factor }: Pauses,
): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let current: Promise<void> | undefined;
  let isStopped = false;
  const next = async (): Promise<void> => {
    const began = performance.now();
    await work();
    const pause = Math.max(everyMs, factor * (performance.now() - began));
    if (!isStopped) wait(pause);
  };
  const wait = (ms: number): void => {
    timer = setTimeout(() => (current = next()), ms).unref();
  };
  wait(everyMs);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await current;
  };
}
