import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/registries/index.ts';

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

it('[T50] elapsed time does not follow the wall clock', () => {
  const before = systemClock.monotonic();
  vi.setSystemTime(0);
  expect([systemClock.now(), systemClock.monotonic()]).toEqual([0, before]);
});

it('refuses to sleep for NaN', async () => {
  await expect(systemClock.sleep(Number.NaN)).rejects.toThrow(
    'the delay is NaN, expected milliseconds',
  );
});

it('leaves nothing with the signal of the caller', async () => {
  const { signal } = new AbortController();
  const sleep = systemClock.sleep(1000, signal);
  await vi.advanceTimersByTimeAsync(1000);
  await sleep;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('stops sleeping when the signal aborts, and clears its timer', async () => {
  const controller = new AbortController();
  const sleep = systemClock.sleep(1000, controller.signal);
  controller.abort(new Error('aborted'));
  await expect(sleep).rejects.toThrow('aborted');
  await expect(systemClock.sleep(1000, controller.signal)).rejects.toThrow('aborted');
  expect(vi.getTimerCount()).toBe(0);
});
