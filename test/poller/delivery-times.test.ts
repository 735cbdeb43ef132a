import { expect, it } from 'vitest';
import { DeliveryTimes } from '../../src/poller/delivery-times.ts';

async function asleep(): Promise<void> {
  await Promise.resolve();
}

/** A clock whose wall time is 100 more than its monotonic time. */
function clockAt(monotonic: number): {
  readonly times: DeliveryTimes;
  readonly set: (to: number) => void;
} {
  let at = monotonic;
  const times = new DeliveryTimes({
    now: () => Math.floor(at) + 100,
    monotonic: () => at,
    sleep: asleep,
  });
  return { times, set: (to) => void (at = to) };
}

it('[T50] a restart is timed by the monotonic clock, if this process delivered its action', () => {
  const { times, set } = clockAt(10.5);
  times.note('one');
  times.note('two');
  set(20.75);
  times.note('two');
  set(30.875);
  expect(['one', 'two', 'other'].map((id) => times.since(id))).toEqual([20.375, 10.125, undefined]);
  const restarts = ['one', 'two', 'other'].map((action) => ({ action, at: 7 }));
  const remembered = {
    deployed: { kind: 'unknown' as const },
    previous: undefined,
    failed: undefined,
    restarts,
    quarantine: [],
  };
  expect(times.corrected(remembered, 'two')).toEqual({
    ...remembered,
    restarts: [
      { action: 'one', at: 109 },
      { action: 'other', at: 7 },
    ],
  });
});

it('the times of the last 50,000 deliveries are kept', () => {
  const { times } = clockAt(1);
  for (let id = 0; id < 50_000; id++) times.note(String(id));
  times.note('0');
  expect(['0', '1'].map((id) => times.since(id))).toEqual([0, 0]);
  times.note('more');
  expect(['0', '1', '2'].map((id) => times.since(id))).toEqual([0, undefined, 0]);
});
