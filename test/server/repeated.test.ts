import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { repeated } from '../../src/server/repeated.ts';

it('what is repeated ends only after the work under way, and does not begin again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    seen.push('begins');
    await promise;
    seen.push('ends');
  };
  const stop = repeated(work, { everyMs: 5000, factor: 1 });
  vi.advanceTimersByTime(4999);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1);
  const stopped = stop().then(() => seen.push('stopped'));
  await setImmediate();
  expect(seen).toEqual(['begins']);
  resolve();
  await stopped;
  vi.advanceTimersByTime(60_000);
  expect(seen).toEqual(['begins', 'ends', 'stopped']);
});
