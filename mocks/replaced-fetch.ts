import type { Answer } from './network.ts';

/** Does `work` while `answer` is what requests of this process get: for
 * fuzzing, which makes more requests than msw can take, and for errors that msw cannot give. */
export async function answeredBy<T>(answer: Answer, work: () => Promise<T>): Promise<T> {
  const { fetch } = globalThis;
  globalThis.fetch = async (request, init) => await answer(new Request(request, init));
  try {
    return await work();
  } finally {
    globalThis.fetch = fetch;
  }
}
