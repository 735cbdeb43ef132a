import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/registry/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ['an hour', 3_600_000],
  ['longer than a timer can be set', 2 ** 31 + 5],
])('sleeps for %s', async (_, ms) => {
  let isOver = false;
  const sleep = systemClock.sleep(ms).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
  await sleep;
  expect(vi.getTimerCount()).toBe(0);
});

it('does not sleep for what is no number', async () => {
  await expect(systemClock.sleep(Number.NaN)).rejects.toThrow('asked to sleep for no number');
});

it('is woken by a signal, and leaves no timer behind', async () => {
  const controller = new AbortController();
  const sleep = systemClock.sleep(1000, controller.signal);
  controller.abort(new Error('called off'));
  await expect(sleep).rejects.toThrow('called off');
  await expect(systemClock.sleep(1000, controller.signal)).rejects.toThrow('called off');
  expect(vi.getTimerCount()).toBe(0);
});
