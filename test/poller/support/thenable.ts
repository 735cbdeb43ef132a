/** What some Promise libraries return: not a Promise of the language, and it rejects. */
export function thenable(reason: Error): PromiseLike<never> {
  const rejected = async (): Promise<never> => await Promise.reject(reason);
  // oxlint-disable-next-line unicorn/no-thenable
  return { then: async (...handlers) => await rejected().then(...handlers) };
}
