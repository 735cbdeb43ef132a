import { describe, expect, it } from 'vitest';
import { nextStep, type NextStep } from '../../../src/core/rollout/next-step.ts';
import type { Rollout } from '../../../src/core/rollout/rollout.ts';
import { ROLLOUT_POLICY, type RolloutPolicy } from '../../../src/core/rollout/rollout-policy.ts';
import type { Tally } from '../../../src/core/rollout/tally.ts';
import { wilson } from '../../../src/core/rollout/wilson.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;

const ROLLOUT: Rollout = {
  status: 'running',
  sequence: 3,
  salt: 's1',
  percent: 1,
  share: 0.01,
  first: [],
  groups: [],
  startedAt: NOW - 5 * HOUR,
  steps: [{ at: NOW - 5 * HOUR, share: 0.01, groups: [] }],
  soakingSince: NOW - HOUR,
  because: undefined,
  seen: { failed: 0, silent: 0 },
  acknowledged: { failed: 0, silent: 0 },
};

interface Counts extends Partial<Omit<Tally, 'control' | 'newest'>> {
  /** How many machines of the group that came last are healthy, wait, and failed. */
  readonly newest?: readonly [healthy: number, waiting: number, failed?: number];
  /** How many machines outside the share were heard, and became silent. */
  readonly control?: readonly [heard: number, silent: number];
}

function stepFor(
  counts: Counts,
  rollout: Partial<Rollout> = {},
  policy: Partial<RolloutPolicy> = {},
): NextStep {
  const { control: [heard, silent] = [1000, 0], newest: last, ...known } = counts;
  const none = { waiting: 0, installing: 0, healthy: 0, failed: 0, silent: 0 };
  const newest = last && { ...none, healthy: last[0], waiting: last[1], failed: last[2] ?? 0 };
  const tally = { ...none, ...known, newest, control: { heard, silent } };
  return nextStep({ ...ROLLOUT, ...rollout }, tally, { ...ROLLOUT_POLICY, ...policy }, NOW);
}

/** A step in a few words: `raise to 5`, `wait: few-healthy, 4 of 5`, `halt: failures, 5 of 41`. */
function told(step: NextStep): string {
  const { kind, because } = step;
  if (kind === 'raise') {
    const groups = step.groups === undefined ? '' : ` with ${step.groups} groups`;
    return `raise to ${step.percent}${groups}`;
  }
  if (kind === 'halt') {
    const { because: why } = step;
    return why.reason === 'failed-step'
      ? `halt: failed-step, ${why.machines}`
      : `halt: ${why.reason}, ${why.count} of ${why.trials}`;
  }
  if (kind === 'complete') return kind;
  const { reason } = step.because;
  if (reason === 'failing') return `failing: ${step.because.failed} of ${step.because.machines}`;
  if ('needed' in because) return `${kind}: ${reason}, ${because.healthy} of ${because.needed}`;
  return 'until' in because
    ? `${kind}: ${reason} until ${(because.until - NOW) / HOUR} h`
    : `${kind}: ${reason}`;
}

describe('the next step', () => {
  it.each<[string, Counts, Partial<Rollout>, string]>([
    ['D52 half of the machines are healthy', { waiting: 50, healthy: 50 }, {}, 'raise to 5'],
    ['D52 fewer are', { waiting: 51, healthy: 49 }, {}, 'wait: few-healthy, 49 of 50'],
    [
      'D52 of an odd number, more than half',
      { waiting: 51, healthy: 50 },
      {},
      'wait: few-healthy, 50 of 51',
    ],
    ['D52 at least five', { waiting: 2, healthy: 4 }, {}, 'wait: few-healthy, 4 of 5'],
    ['D52 or all, of a small step', { healthy: 4 }, {}, 'raise to 5'],
    ['D52 all but one', { waiting: 1, healthy: 3 }, {}, 'wait: few-healthy, 3 of 4'],
    ['D52 or all, and some are silent', { healthy: 2, silent: 2 }, {}, 'wait: few-healthy, 2 of 4'],
    ['D52 no machine is known', {}, {}, 'wait: few-healthy, 0 of 1'],
    [
      '[D107] the first of two groups is healthy',
      { healthy: 3, newest: [3, 0] },
      { percent: 0, share: 0, first: ['canary', 'lab'], groups: ['canary'] },
      'raise to 0 with 2 groups',
    ],
    [
      '[D107] the last group is healthy',
      { healthy: 8, newest: [5, 5] },
      { percent: 0, share: 0, first: ['canary', 'lab'], groups: ['canary', 'lab'] },
      'raise to 0.1 with 2 groups',
    ],
    [
      '[T401] the last group is silent, and the one before it is healthy',
      { healthy: 100, waiting: 3, newest: [0, 3] },
      { percent: 0, share: 0, first: ['canary', 'lab'], groups: ['canary', 'lab'] },
      'wait: few-healthy, 0 of 3',
    ],
    [
      '[T401] nobody is in the group any more',
      { healthy: 100, newest: [0, 0] },
      { percent: 0, share: 0, first: ['lab'], groups: ['lab'] },
      'wait: few-healthy, 0 of 1',
    ],
    [
      '[D107] a percentage after the groups',
      { healthy: 50, waiting: 50 },
      { percent: 1, share: 0.01, first: ['lab'], groups: ['lab'] },
      'raise to 5 with 1 groups',
    ],
    [
      '[D107] a group soaks',
      { healthy: 3, newest: [3, 0] },
      { percent: 0, share: 0, first: ['lab'], groups: ['lab'], soakingSince: NOW - HOUR + 36_000 },
      'wait: soaking until 0.01 h',
    ],
    [
      'D52 the step soaks',
      { healthy: 100 },
      { soakingSince: NOW - HOUR + 36_000 },
      'wait: soaking until 0.01 h',
    ],
    ['D52 a percentage between two steps', { healthy: 100 }, { percent: 7 }, 'raise to 20'],
    ['D52 the first step', { healthy: 100 }, { percent: 0.1 }, 'raise to 1'],
    [
      'D52 after the last step',
      { waiting: 50, healthy: 50 },
      { percent: 100, share: 1 },
      'complete',
    ],
    [
      'D52 the last step waits as well',
      { waiting: 51, healthy: 49 },
      { percent: 100, share: 1 },
      'wait: few-healthy, 49 of 50',
    ],
    ['D53 a halted rollout', { healthy: 100 }, { status: 'halted' }, 'wait: halted'],
    [
      'D53 a halted rollout whose machines fail',
      { failed: 100 },
      { status: 'halted' },
      'wait: halted',
    ],
    ['D54 a completed rollout', { failed: 100 }, { status: 'completed' }, 'wait: completed'],
    ['D54 a retracted rollout', { healthy: 100 }, { status: 'retracted' }, 'wait: retracted'],
  ])('%s', (_title, counts, rollout, expected) => {
    expect(told(stepFor(counts, rollout))).toBe(expected);
  });
});

const SOAKS = { soakingSince: NOW };
const LAB = { percent: 0, share: 0, first: ['canary', 'lab'], groups: ['canary', 'lab'] };
const SEEN = { acknowledged: { failed: 1, silent: 0 } };

describe('a halt', () => {
  it.each<[string, Counts, Partial<Rollout>, string]>([
    ['D53 three failures of three', { failed: 3 }, {}, 'halt: failures, 3 of 3'],
    [
      'D53 does not wait for the end of the soak',
      { failed: 3 },
      { soakingSince: NOW },
      'halt: failures, 3 of 3',
    ],
    ['D53 5 of 41 failed', { failed: 5, healthy: 36 }, {}, 'halt: failures, 5 of 41'],
    [
      'D53 2 % of 150 failed: the rate may be below 1 %',
      { failed: 3, healthy: 147 },
      {},
      'raise to 5',
    ],
    ['D53 1 % of 10,000 failed', { failed: 100, healthy: 9900 }, {}, 'raise to 5'],
    [
      'D53 1.4 % of 10,000 failed',
      { failed: 140, healthy: 9860 },
      {},
      'halt: failures, 140 of 10000',
    ],
    [
      'D53 machines that install count: they may turn out healthy',
      { failed: 3, installing: 147 },
      {},
      'failing: 3 of 150',
    ],
    ['[D157] the only machine', { failed: 1 }, {}, 'halt: failed-step, 1'],
    ['[D157] both machines', { failed: 2 }, {}, 'halt: failed-step, 2'],
    ['[D157] one of two; one waits', { failed: 1, waiting: 1 }, {}, 'failing: 1 of 2'],
    ['[D157] one is silent', { failed: 1, silent: 1 }, SOAKS, 'failing: 1 of 2'],
    ['[D157] one is healthy', { failed: 1, healthy: 1 }, {}, 'wait: few-healthy, 1 of 2'],
    [
      '[D157] all of a group',
      { failed: 1, healthy: 9, newest: [0, 0, 1] },
      LAB,
      'halt: failed-step, 1',
    ],
    ['[D157] one that was acknowledged', { failed: 1 }, SEEN, 'failing: 1 of 1'],
    ['[D157] another one, too', { failed: 2 }, SEEN, 'failing: 2 of 2'],
    [
      'D53 few machines that install: too many failed even if all turn out healthy',
      { failed: 3, installing: 10 },
      {},
      'halt: failures, 3 of 13',
    ],
    [
      'D53 machines that wait do not count',
      { failed: 3, waiting: 147 },
      {},
      'halt: failures, 3 of 3',
    ],
    ['D53 silent machines', { silent: 8, healthy: 32 }, {}, 'halt: failures-and-silence, 8 of 40'],
    [
      'D53 as many silent machines as among the others',
      { silent: 8, healthy: 32, control: [1000, 200] },
      {},
      'raise to 5',
    ],
    [
      'D53 many more silent machines than among the others',
      { silent: 30, healthy: 10, control: [1000, 200] },
      {},
      'halt: failures-and-silence, 30 of 40',
    ],
    [
      'D53 failures and silence together',
      { failed: 2, silent: 3, healthy: 35 },
      {},
      'halt: failures-and-silence, 5 of 40',
    ],
    [
      'D53 few others to compare with',
      { silent: 8, healthy: 32, control: [3, 0] },
      {},
      'raise to 5',
    ],
    [
      'D53 no others: silence says nothing',
      { silent: 60, healthy: 60, control: [0, 0] },
      {},
      'raise to 5',
    ],
    [
      'D53 failures that were acknowledged',
      { failed: 5, healthy: 36 },
      { acknowledged: { failed: 5, silent: 0 } },
      'raise to 5',
    ],
    [
      'D53 more than were acknowledged',
      { failed: 8, healthy: 36 },
      { acknowledged: { failed: 5, silent: 0 } },
      'halt: failures, 3 of 39',
    ],
    [
      'D53 silence that was acknowledged',
      { silent: 8, healthy: 32 },
      { acknowledged: { failed: 0, silent: 8 } },
      'raise to 5',
    ],
    [
      'D53 fewer than were acknowledged',
      { failed: 0, healthy: 36 },
      { acknowledged: { failed: 5, silent: 3 } },
      'raise to 5',
    ],
  ])('%s', (_title, counts, rollout, expected) => {
    expect(told(stepFor(counts, rollout))).toBe(expected);
  });

  it('D53 needs a rate that is certainly above the highest one, not equal to it', () => {
    const highestRate = wilson(3, 40, ROLLOUT_POLICY.z).lower;
    expect(told(stepFor({ failed: 3, healthy: 37 }))).toBe('halt: failures, 3 of 40');
    expect(told(stepFor({ failed: 3, healthy: 37 }, {}, { highestRate }))).toBe('raise to 5');
  });

  it('D53 says what has to be acknowledged, and the bounds that decided', () => {
    const step = stepFor(
      { failed: 8, silent: 2, healthy: 36 },
      { acknowledged: { failed: 5, silent: 1 } },
    );
    expect(step).toEqual({
      kind: 'halt',
      because: {
        reason: 'failures',
        count: 3,
        trials: 40,
        lowerBound: expect.closeTo(0.0152, 4) as number,
        limit: 0.01,
      },
      failures: { failed: 8, silent: 2 },
    });
  });
});
