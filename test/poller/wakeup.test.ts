import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Wakeup } from '../../src/poller/wakeup.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';

const NEVER = new AbortController().signal;
const REASON = new Error('stopped');

async function withoutTimer(): Promise<void> {
  await Promise.reject(new Error('no timer'));
}

/** `waits`, `resolved`, or the message of the rejection. */
function stateOf(waiting: Promise<void>): () => string {
  let state = 'waits';
  waiting.then(
    () => (state = 'resolved'),
    (error: Error) => (state = error.message),
  );
  return () => state;
}

describe('a wait', () => {
  it('ends with the next wake-up, and so do all others', async () => {
    const clock = virtualClock();
    const wakeup = new Wakeup(clock);
    const states = [10, 1000].map((ms) => stateOf(wakeup.wait(0, ms, NEVER)));
    await clock.pass(9);
    expect(states.map((state) => state())).toEqual(['waits', 'waits']);
    wakeup.wake();
    await clock.pass(0);
    expect([wakeup.count, ...states.map((state) => state())]).toEqual([1, 'resolved', 'resolved']);
  });

  it('ends after its time', async () => {
    const clock = virtualClock();
    const state = stateOf(new Wakeup(clock).wait(0, 10, NEVER));
    await clock.pass(9);
    expect(state()).toBe('waits');
    await clock.pass(1);
    expect(state()).toBe('resolved');
  });

  it('ends at once if there was a wake-up that its caller has not seen', async () => {
    const clock = virtualClock();
    const wakeup = new Wakeup(clock);
    wakeup.wake();
    const states = [0, 1].map((seen) => stateOf(wakeup.wait(seen, 10, NEVER)));
    await clock.pass(0);
    expect(states.map((state) => state())).toEqual(['resolved', 'waits']);
  });

  it('rejects with the reason of its signal, also if it is woken or late', async () => {
    const clock = virtualClock();
    const wakeup = new Wakeup(clock);
    const ending = new AbortController();
    const before = stateOf(wakeup.wait(0, 10, ending.signal));
    await clock.pass(0);
    ending.abort(REASON);
    wakeup.wake();
    const after = stateOf(wakeup.wait(0, 10, ending.signal));
    await clock.pass(0);
    expect([before(), after()]).toEqual(['stopped', 'stopped']);
  });

  it.each<[string, (wakeup: Wakeup, clock: VirtualClock) => unknown]>([
    ['is woken', (wakeup) => wakeup.wake()],
    ['is late', async (_, clock) => await clock.pass(10)],
  ])('leaves nothing on a signal that outlives it, once it %s', async (_, end) => {
    const clock = virtualClock();
    const wakeup = new Wakeup(clock);
    const { signal } = new AbortController();
    const waiting = wakeup.wait(0, 10, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await end(wakeup, clock);
    await waiting;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with an error of the clock', async () => {
    const wakeup = new Wakeup({ ...virtualClock(), sleep: withoutTimer });
    await expect(wakeup.wait(0, 10, NEVER)).rejects.toThrow(new Error('no timer'));
  });
});
