import { describe, expect, it } from 'vitest';
import { Attempt } from '../../src/poller/attempt.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { upgrade } from '../support/claimed.ts';

function attempt(withinMs: number, clock = virtualClock()): Attempt {
  const terms = { clock, withinMs, onEvent: () => undefined };
  return new Attempt({ ...upgrade(), id: '7' }, Symbol('consumer'), terms, undefined);
}

it.each([
  [1000.5, 1000, 0],
  [1000.5, 999, 1],
  [1001, 1000, 1],
  [1000, 2000, 0],
])('the deadline of %d ms is %d ms later %i ms away', async (withinMs, ms, expected) => {
  const clock = virtualClock();
  const begun = attempt(withinMs, clock);
  await clock.pass(ms);
  expect(begun.untilDeadline).toBe(expected);
});

describe('[D38] the first report is kept', () => {
  it('if it is recorded while another one is made', () => {
    const reported = attempt(1000);
    const again = (): void => reported.report('failed', () => undefined);
    reported.report('done', () => {
      expect(again).toThrow(
        'failed(): the outcome of action 7 of lidar was already reported as done; the first report is kept',
      );
    });
    expect(again).toThrow('already reported as done');
  });

  it('unless it could not be recorded', () => {
    const reported = attempt(1000);
    expect(() =>
      reported.report('done', () => {
        throw new Error('the file was closed');
      }),
    ).toThrow('the file was closed');
    expect(reported.isReported).toBe(false);
  });
});
