import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { CachedRegistry } from '../../src/registries/index.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/index.ts';
import { pendingReads } from '../../src/testing/pending-reads.ts';

const START = Date.parse('2026-11-21T00:00:00Z');

/** Notes when a sleep of each duration ends, in milliseconds after the start. */
function sleepers(clock: VirtualClock, ...durations: readonly number[]): string[] {
  const woken: string[] = [];
  for (const ms of durations) {
    const note = (): void => void woken.push(`${ms} at ${clock.now() - START}`);
    void clock.sleep(ms).then(note);
  }
  return woken;
}

describe('a virtual clock', () => {
  it('wakes all that is due in order, and shows each the time at which it was due', async () => {
    const clock = virtualClock(START);
    const woken = sleepers(clock, 30, 10, 20, 31, 10);
    await clock.pass(30);
    expect(woken).toEqual(['10 at 10', '10 at 10', '20 at 20', '30 at 30']);
    await clock.pass(1);
    expect(woken.at(-1)).toBe('31 at 31');
  });

  it('stands unless a test lets time pass', async () => {
    const clock = virtualClock(START);
    expect([clock.now(), clock.monotonic()]).toEqual([START, 1000]);
    await clock.pass(0);
    await clock.pass(1.75);
    expect([clock.now(), clock.monotonic()]).toEqual([START + 1, 1001.75]);
  });

  it('never goes back in elapsed time, whatever is slept', async () => {
    const clock = virtualClock(START);
    const woken = sleepers(clock, -500);
    await clock.pass(0);
    expect([woken, clock.monotonic()]).toEqual([['-500 at 0'], 1000]);
  });

  it('can be set, which changes neither elapsed time nor sleeps', async () => {
    const clock = virtualClock(START);
    const woken = sleepers(clock, 100);
    clock.set(START - 5000);
    expect([clock.now(), clock.monotonic()]).toEqual([START - 5000, 1000]);
    await clock.pass(100);
    expect(woken).toEqual(['100 at -4900']);
  });

  it('ends a sleep with the reason of its signal', async () => {
    const clock = virtualClock(START);
    const controller = new AbortController();
    const { signal } = controller;
    const sleep = clock.sleep(100, signal);
    controller.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    await expect(clock.sleep(100, signal)).rejects.toThrow('enough');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('waits while something is busy, in real time', async () => {
    let turns = 50;
    const clock = virtualClock(START, () => turns-- > 0);
    await clock.pass(0);
    expect(turns).toBeLessThanOrEqual(0);
  });
});

it('a read that waits for the clock does not keep the clock waiting, until it is aborted', async () => {
  const clock = virtualClock(START);
  const reads = pendingReads();
  const never = Promise.withResolvers<never>();
  const registry: CachedRegistry = {
    read: async () => await never.promise,
    readAll: async () => await never.promise,
    awaitChange: async () => await Promise.resolve(undefined),
  };
  const counted = reads.counted(registry);
  expect(reads.counted(registry)).toBe(counted);
  void counted.readAll([]);
  expect(reads.isBusy()).toBe(true);
  const controller = new AbortController();
  const sleep = reads.sleepingOn(clock).sleep(100, controller.signal);
  expect(reads.isBusy()).toBe(false);
  controller.abort(new Error('enough'));
  await expect(sleep).rejects.toThrow('enough');
  expect(reads.isBusy()).toBe(true);
});
