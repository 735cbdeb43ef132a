import type { Clock } from '../../src/registries/index.ts';

/** A clock that a test advances. A sleep returns at once and advances the clock. */
export interface TestClock extends Clock {
  /** The length of each sleep, in milliseconds. */
  readonly sleeps: readonly number[];
  advance(ms: number): void;
}

const NOW: number = Date.parse('2026-11-21T01:02:03Z');

export function testClock(now: number = NOW): TestClock {
  const sleeps: number[] = [];
  let elapsed = 0;
  return {
    sleeps,
    now: () => now + elapsed,
    monotonic: () => elapsed,
    advance: (ms) => {
      elapsed += ms;
    },
    async sleep(ms) {
      sleeps.push(ms);
      elapsed += ms;
      await Promise.resolve();
    },
  };
}
