import { onTestFinished, vi } from 'vitest';
import { testSignal } from './test-signal.ts';

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
/** So little that what this process reads from its own servers does not run into a time limit. */
const TURN_MS = 5;

/**
 * Until the end of the test, no time passes in this process but in what it returns: that takes `work`, and lets 5 ms
 * pass each turn of the event loop until the work is done. This is for the time limits of a command, which are timers of Node and
 * of no Clock. What it waits for is in this process: to a real program, so much time would pass in it that its limits end.
 */
export function passingTime(): <T>(work: Promise<T>) => Promise<T> {
  vi.useFakeTimers({ toFake: [...TIMERS, 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const test = testSignal();
  return async (work) => {
    const done = new AbortController();
    const turns = async (): Promise<void> => {
      while (!done.signal.aborted && !test.aborted) {
        await vi.advanceTimersByTimeAsync(TURN_MS);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const [result] = await Promise.all([work.finally(() => done.abort()), turns()]);
    return result;
  };
}
