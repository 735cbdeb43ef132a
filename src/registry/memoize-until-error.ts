/** Runs `work` at the first call, and again at the first call after a failure. Other calls share its result. */
export function memoizeUntilError<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return async () => {
    try {
      return await (result ??= work());
    } catch (error) {
      result = undefined;
      throw error;
    }
  };
}
