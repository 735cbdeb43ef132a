import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RegistryError } from '../../src/registries/index.ts';
import { startDeadline, type Deadline } from '../../src/registry/http/deadline.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/registry/http/limits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The time limits that this file tests, each in another phase. */
const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  answerMs: 1000,
  idleMs: 700,
  totalMs: 5000,
  slowAfterMs: 2000,
  leastBytesPerSecond: 100,
};

/** What happens to a response after a number of milliseconds. */
type Event = readonly [afterMs: number, happen: (deadline: Deadline) => void];

const PROGRESS = (deadline: Deadline): void => deadline.progress();
const BEGIN = (deadline: Deadline): void => deadline.begin();
const bytes =
  (count: number) =>
  (deadline: Deadline): void =>
    deadline.receive(count);
const STOP = (deadline: Deadline): void => deadline.stop();

/** `count` parts of a body, one every `ms` milliseconds. */
function parts(count: number, ms: number, size: number): Event[] {
  return Array.from({ length: count }, (): Event => [ms, bytes(size)]);
}

/** The time and the message of the limit that a response exceeds; `in time` if it exceeds none. */
function outcomeOf(events: readonly Event[]): string {
  const deadline = startDeadline('R', LIMITS);
  const began = performance.now();
  let outcome = 'in time';
  deadline.signal.addEventListener('abort', () => {
    const { kind, message } = deadline.signal.reason as RegistryError;
    outcome = `${performance.now() - began}: ${kind}: ${message}`;
  });
  for (const [afterMs, happen] of events) {
    vi.advanceTimersByTime(afterMs);
    happen(deadline);
  }
  vi.advanceTimersByTime(100_000);
  return outcome;
}

describe('[T38] [T39] the time limits of a response', () => {
  it.each<[string, readonly Event[], string]>([
    ['silence', [], '1000: registry-timeout: R did not begin its response within 1 s'],
    [
      'a header just in time',
      [
        [999, BEGIN],
        [699, bytes(1000)],
        [1, STOP],
      ],
      'in time',
    ],
    [
      'silence after parts of the request were sent',
      [
        [900, PROGRESS],
        [900, PROGRESS],
      ],
      '2800: registry-timeout: R did not begin its response within 1 s',
    ],
    [
      'silence after the header',
      [[900, BEGIN]],
      '1600: registry-timeout: R stalled: it sent nothing more for 0.7 s',
    ],
    [
      'silence in the body',
      [
        [0, BEGIN],
        [600, bytes(1000)],
      ],
      '1300: registry-timeout: R stalled: it sent nothing more for 0.7 s',
    ],
    [
      'no silence, but no end',
      [[0, BEGIN], ...parts(20, 500, 1000)],
      '5000: registry-timeout: R did not finish its response within 5 s',
    ],
    [
      'a body at the lowest rate',
      [[900, BEGIN], [0, bytes(10)], ...parts(40, 100, 10), [0, STOP]],
      'in time',
    ],
    [
      'a body just below it',
      [[900, BEGIN], [0, bytes(9)], ...parts(40, 100, 10)],
      '2900: registry-timeout: R is too slow: 199 bytes in 2 s',
    ],
    [
      'a body that becomes slow',
      [[0, BEGIN], [0, bytes(250)], ...parts(40, 100, 1)],
      '2800: registry-timeout: R is too slow: 277 bytes in 2.8 s',
    ],
    ['a slow body that ends early', [[0, BEGIN], ...parts(3, 600, 1), [199, STOP]], 'in time'],
    [
      'nothing after the end',
      [
        [999, STOP],
        [0, BEGIN],
        [0, PROGRESS],
        [0, bytes(1)],
      ],
      'in time',
    ],
  ])('%s', (_, events, expected) => {
    expect(outcomeOf(events)).toBe(expected);
  });

  it('by default are 10 s to begin, 10 s of silence, 30 s in all, and 1 KiB/s after 5 s', () => {
    expect(DEFAULT_LIMITS).toEqual({
      answerMs: 10_000,
      idleMs: 10_000,
      totalMs: 30_000,
      slowAfterMs: 5000,
      leastBytesPerSecond: 1024,
      largestList: 8_388_608,
      largestPackument: 67_108_864,
      retryWithinMs: 20_000,
    });
  });

  it('leave no timer and no listener when they are stopped', () => {
    const caller = new AbortController();
    const deadline = startDeadline('R', LIMITS, caller.signal);
    deadline.begin();
    deadline.stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(deadline.signal.aborted).toBe(false);
  });

  it.each([
    ['before', (caller: AbortController) => caller.abort('enough')],
    ['during', () => undefined],
  ])('end with the reason of a caller that aborts %s the request', (_, first) => {
    const caller = new AbortController();
    first(caller);
    const { signal } = startDeadline('R', LIMITS, caller.signal);
    caller.abort('enough');
    expect(signal.reason).toBe('enough');
  });
});
