import { expect, it } from 'vitest';
import { ROLLOUT_POLICY } from '../../../src/core/rollout/rollout-policy.ts';
import {
  retiredMachine,
  tally,
  type RolloutMachine,
  type Tally,
} from '../../../src/core/rollout/tally.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const ROLLOUT = { share: 0.2, percent: 20, groups: [], soakingSince: NOW - 10 * HOUR };
const NONE: Tally = {
  waiting: 0,
  installing: 0,
  healthy: 0,
  failed: 0,
  silent: 0,
  control: { heard: 0, silent: 0 },
};

/** A machine by its cohort, and how long ago it was heard and got the release. */
function machine(
  cohort: number,
  heard: number | undefined,
  delivered?: number,
  outcome?: 'healthy' | 'failed',
): RolloutMachine {
  return {
    cohort,
    heardAt: heard === undefined ? undefined : NOW - heard,
    delivery: delivered === undefined ? undefined : { at: NOW - delivered, outcome },
  };
}

it.each<[string, RolloutMachine, Partial<Tally>]>([
  ['not delivered', machine(0.1, HOUR), { waiting: 1 }],
  ['never heard', machine(0.1, undefined), { waiting: 1 }],
  ['delivered just now', machine(0.1, HOUR, 0), { installing: 1 }],
  ['silent for less than two hours', machine(0.1, undefined, 2 * HOUR - 1), { installing: 1 }],
  ['silent for two hours', machine(0.1, undefined, 2 * HOUR), { silent: 1 }],
  ['heard after the delivery', machine(0.1, HOUR, 5 * HOUR), { installing: 1 }],
  ['heard only before the delivery', machine(0.1, 5 * HOUR, 3 * HOUR), { silent: 1 }],
  ['healthy, and then silent', machine(0.1, 5 * HOUR, 9 * HOUR, 'healthy'), { healthy: 1 }],
  ['failed, and then silent', machine(0.1, 5 * HOUR, 9 * HOUR, 'failed'), { failed: 1 }],
  ['outside, heard', machine(0.2, HOUR), { control: { heard: 1, silent: 0 } }],
  ['outside, silent for two hours', machine(0.2, 2 * HOUR), { control: { heard: 1, silent: 1 } }],
  [
    'outside, heard when the step began',
    machine(0.2, 10 * HOUR),
    { control: { heard: 1, silent: 1 } },
  ],
  ['outside, not heard during the step', machine(0.2, 10 * HOUR + 1), {}],
  ['outside, never heard', machine(0.2, undefined), {}],
  [
    'outside, with the release: it was pinned',
    machine(0.9, HOUR, 3 * HOUR, 'failed'),
    { control: { heard: 1, silent: 0 } },
  ],
])('D53 a machine that is %s', (_title, one, expected) => {
  expect(tally([one], ROLLOUT, ROLLOUT_POLICY, NOW)).toEqual({ ...NONE, ...expected });
});

const IN_GROUPS = { ...ROLLOUT, share: 0, percent: 0, groups: ['canary', 'lab'] };
const NO_COUNTS = { waiting: 0, installing: 0, healthy: 0, failed: 0, silent: 0 };

it.each<[string, RolloutMachine, object, Partial<Tally>]>([
  [
    'in the group that came last',
    { ...machine(0.9, HOUR), group: 'lab' },
    IN_GROUPS,
    { waiting: 1, newest: { ...NO_COUNTS, waiting: 1 } },
  ],
  [
    'in the group before it',
    { ...machine(0, HOUR, HOUR, 'failed'), group: 'canary' },
    IN_GROUPS,
    { failed: 1, newest: NO_COUNTS },
  ],
  [
    'in another group',
    { ...machine(0, HOUR), group: 'office' },
    IN_GROUPS,
    { newest: NO_COUNTS, control: { heard: 1, silent: 0 } },
  ],
  [
    'in no group',
    machine(0, HOUR),
    IN_GROUPS,
    { newest: NO_COUNTS, control: { heard: 1, silent: 0 } },
  ],
  [
    'in a group, after the percentages began',
    { ...machine(0.9, HOUR, HOUR, 'healthy'), group: 'lab' },
    { ...ROLLOUT, groups: ['canary', 'lab'] },
    { healthy: 1 },
  ],
])('[D107] counts a machine that is %s', (_title, one, rollout, expected) => {
  expect(tally([one], { ...ROLLOUT, ...rollout }, ROLLOUT_POLICY, NOW)).toEqual({
    ...NONE,
    ...expected,
  });
});

it('[D107, D83] a retired machine counts from the step that included its group', () => {
  const one = { ...machine(0.9, 3 * HOUR), group: 'lab' };
  const steps = [
    { at: NOW - 10 * HOUR, share: 0, groups: ['canary'] },
    { at: NOW - 4 * HOUR, share: 0, groups: ['canary', 'lab'] },
    { at: NOW - 2 * HOUR, share: 0.1, groups: ['canary', 'lab'] },
  ];
  expect(retiredMachine(one, { steps }, ROLLOUT_POLICY)).toEqual({
    ...one,
    delivery: { at: NOW - 4 * HOUR, outcome: undefined },
  });
  expect(retiredMachine({ ...one, group: 'office' }, { steps }, ROLLOUT_POLICY)).toBeUndefined();
});

it('counts all machines', () => {
  const machines = [
    machine(0, HOUR),
    machine(0.1, HOUR, HOUR, 'failed'),
    machine(0.15, HOUR, HOUR, 'failed'),
    machine(0.5, HOUR),
    machine(0.6, 3 * HOUR),
  ];
  expect(tally(machines, ROLLOUT, ROLLOUT_POLICY, NOW)).toEqual({
    ...NONE,
    waiting: 1,
    failed: 2,
    control: { heard: 2, silent: 1 },
  });
});

/** The share was 0.2 from ten hours ago, and 0.6 from four hours ago. */
const STEPS = {
  steps: [
    { at: NOW - 10 * HOUR, share: 0.2, groups: [] },
    { at: NOW - 4 * HOUR, share: 0.6, groups: [] },
  ],
};

it.each<[string, RolloutMachine, Partial<Tally> | undefined]>([
  ['heard since its step began, and no more', machine(0.1, 9 * HOUR), { silent: 1 }],
  ['heard an hour before its step', machine(0.1, 11 * HOUR), { silent: 1 }],
  ['heard just less than two hours before its step', machine(0.1, 12 * HOUR - 1), { silent: 1 }],
  ['silent when its step began', machine(0.1, 12 * HOUR), undefined],
  ['never heard', machine(0.1, undefined), undefined],
  ['silent when the second step began, which includes it', machine(0.2, 6 * HOUR), undefined],
  ['heard before the second step, which includes it', machine(0.2, 6 * HOUR - 1), { silent: 1 }],
  ['heard an hour ago, in its step', machine(0.1, HOUR), { installing: 1 }],
  [
    'silent with the release, without an outcome',
    machine(0.1, 13 * HOUR, 13 * HOUR),
    { silent: 1 },
  ],
  ['silent since it failed', machine(0.1, 13 * HOUR, 13 * HOUR, 'failed'), { failed: 1 }],
  ['silent since it installed it', machine(0.1, 9 * HOUR, 9 * HOUR, 'healthy'), { healthy: 1 }],
  ['in no step yet, and heard', machine(0.6, HOUR), undefined],
])('[D83, T361] a retired machine that was %s', (_title, one, expected) => {
  const retired = retiredMachine(one, STEPS, ROLLOUT_POLICY);
  const counts = retired && tally([retired], { ...ROLLOUT, share: 0.6 }, ROLLOUT_POLICY, NOW);
  expect(counts).toEqual(expected && { ...NONE, ...expected });
});
