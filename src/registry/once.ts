/** Runs `work` at the first call. Every call gets the same result. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return async () => await (result ??= work());
}
