import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { during } from '../../src/poller/during.ts';

const FAILED = new Error('failed');

it.each<[string, () => Promise<unknown>]>([
  ['resolves', async () => await Promise.resolve()],
  ['rejects', async () => await Promise.reject(FAILED)],
])('work that %s leaves nothing on a signal that outlives it', async (_, end) => {
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, 'abort').length;
  let meanwhile = 0;
  const work = during(signal, async (own) => {
    meanwhile = listeners();
    await end();
    return own;
  });
  const ended = await work.catch((error: unknown) => error);
  expect([meanwhile, listeners()]).toEqual([1, 0]);
  expect(ended === FAILED || (ended as AbortSignal).aborted).toBe(true);
});
