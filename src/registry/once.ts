/** `work`, which begins with the first call and has the same result for every call. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return async () => await (result ??= work());
}
