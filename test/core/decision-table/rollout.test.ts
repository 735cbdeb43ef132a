import { describe, expect, it } from 'vitest';
import { decide, describeWarning, explain } from '../../../src/core/index.ts';
import { decisionWarnings } from '../../../src/core/decision/warning.ts';
import { cohort } from '../../../src/core/rollout/cohort.ts';
import { ask } from '../../support/ask.ts';
import { decidesOn, moduleQuestion } from '../../support/decided.ts';
import { DAY, decides, inRollout, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;

/** The cohorts of rover-7 are 0.12 with the salt s1, and 0.40 with s2. */
const ROVER = { eligibility: { machineId: 'rover-7' } };
const OF_ROVER = cohort('rover-7', 's2');
const RESOLVING = { now: NOW, rollouts: { machineId: 'rover-7' } };

describe('D49: a release is in rollout', () => {
  decides([
    {
      case: 'D49 the cohort is below the share: selected',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's1', 20)],
      eligibility: RESOLVING,
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: 'D49 the cohort is not below the share: the next release is considered',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's2', 20)],
      eligibility: RESOLVING,
      chosen: '1.2.9',
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: 'D49 the cohort is the share: not below it, so the next release is considered',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's2', 40, { share: OF_ROVER })],
      eligibility: RESOLVING,
      chosen: '1.2.9',
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: 'D49 the share decides, and not the percentage',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's2', 0.1, { share: 0.5 })],
      eligibility: RESOLVING,
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: 'D49 without an id, only 100 % include the machine',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's1', 99.9), inRollout('1.2.10', 's1', 100)],
      eligibility: { now: NOW, rollouts: {} },
      chosen: '1.2.10',
      refused: ['1.3.0: not-in-rollout', '1.2.9: older'],
    },
    {
      case: 'D49 a query that names no machine refuses nothing',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's1', 0)],
      eligibility: { now: NOW },
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: 'D49 any other reason comes first',
      constraint: '1.*',
      list: [{ ...inRollout('1.3.0', 's2', 20), publishedAt: NOW - HOUR }],
      eligibility: { ...RESOLVING, minimumAge: { ms: DAY, unknown: 'refuse' } },
      chosen: undefined,
      refused: ['1.3.0: too-young'],
    },
    {
      case: 'D49 with D11: of two entries the lower share counts',
      constraint: '1.*',
      list: [inRollout('1.3.0', 's1', 20), inRollout('1.3.0', 's2', 10), '1.3.0'],
      eligibility: RESOLVING,
      chosen: undefined,
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: 'D49 with D11: of two entries the one that is halted counts',
      constraint: '1.*',
      list: [inRollout('1.3.0', 's1', 10), inRollout('1.3.0', 's1', 100, { halted: '' })],
      eligibility: RESOLVING,
      chosen: undefined,
      refused: ['1.3.0: rollout-halted'],
    },
  ]);

  decidesOn([
    {
      case: 'D49 outside the share: the reason has the cohort and the share',
      wanted: '1.*',
      deployed: '1.2.3',
      list: ['1.2.9', inRollout('1.3.0', 's2', 5)],
      ...ROVER,
      expected:
        'upgrade to 1.2.9: newest release of 1 that may be selected; 1.3.0 is refused: the rollout at 5 % does not include this machine yet: cohort 0.40 is not below 0.05',
    },
    {
      case: 'D49 the numbers have as many decimals as they need to differ',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's2', 0.1, { share: 0.404355 })],
      ...ROVER,
      expected:
        'up-to-date: stays at 1.2.9: 1.3.0 is refused: the rollout at 0.1 % does not include this machine yet: cohort 0.404356 is not below 0.404355',
    },
    {
      case: 'D49 equal numbers have 15 decimals',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's2', 40, { share: OF_ROVER })],
      ...ROVER,
      expected: `up-to-date: stays at 1.2.9: 1.3.0 is refused: the rollout at 40 % does not include this machine yet: cohort ${OF_ROVER.toFixed(15)} is not below ${OF_ROVER.toFixed(15)}`,
    },
    {
      case: 'D49 a share of 0 is shown as 0',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's2', 0)],
      ...ROVER,
      expected:
        'up-to-date: stays at 1.2.9: 1.3.0 is refused: the rollout at 0 % does not include this machine yet: cohort 0.40 is not below 0.00',
    },
    {
      case: 'D49 a low share is not shown as 0',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's2', 0.1)],
      ...ROVER,
      expected:
        'up-to-date: stays at 1.2.9: 1.3.0 is refused: the rollout at 0.1 % does not include this machine yet: cohort 0.404 is not below 0.001',
    },
    {
      case: 'D49 no release but those in rollout: stuck',
      wanted: '1.*',
      deployed: null,
      list: [inRollout('1.3.0', 's2', 5)],
      ...ROVER,
      expected: 'stuck no-match: no release may be selected: 1 not yet rolled out to this machine',
    },
    {
      case: 'D49 without an id',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's1', 50)],
      expected:
        'up-to-date: stays at 1.2.9: 1.3.0 is refused: the rollout at 50 % does not include this machine: it has no id, so only 100 % include it',
    },
  ]);
});

describe('D50: what a rollout does not refuse', () => {
  const HALTED = { halted: 'stops the motor' };
  decidesOn([
    {
      case: 'D50 a halted rollout: not installed, even if the cohort is below the share',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's1', 50, HALTED)],
      ...ROVER,
      expected:
        'up-to-date: stays at 1.2.9: 1.3.0 is refused: rollout halted at 50 % (stops the motor)',
    },
    {
      case: 'D50 the deployed version stays although its rollout is halted',
      wanted: '1.*',
      deployed: '1.3.0',
      list: ['1.2.9', inRollout('1.3.0', 's1', 50, HALTED)],
      ...ROVER,
      expected: 'up-to-date: already the newest release of 1',
    },
    {
      case: 'D50 the deployed version stays although its rollout does not include the machine',
      wanted: '1.*',
      deployed: '1.3.0',
      list: ['1.2.9', inRollout('1.3.0', 's2', 5)],
      ...ROVER,
      expected: 'up-to-date: already the newest release of 1',
    },
    {
      case: 'D50 with D13: a deployed version that failed is rolled back, and is refused as quarantined',
      wanted: '1.*',
      deployed: '1.3.0',
      previous: '1.2.9',
      quarantine: [{ version: '1.3.0' }],
      list: ['1.2.9', inRollout('1.3.0', 's1', 50)],
      ...ROVER,
      expected: 'rollback to 1.2.9: 1.3.0 failed on this machine; 1.2.9 was deployed before it',
    },
    {
      case: 'D50 with D13: a rollback goes to the previous version although its rollout is halted',
      wanted: '1.*',
      deployed: '1.4.0',
      previous: '1.3.0',
      quarantine: [{ version: '1.4.0' }],
      list: ['1.2.9', inRollout('1.3.0', 's1', 50, HALTED), '1.4.0'],
      ...ROVER,
      expected: 'rollback to 1.3.0: 1.4.0 failed on this machine; 1.3.0 was deployed before it',
    },
    {
      case: 'D50 with D13: a rollback without a previous version does not go to a release in rollout',
      wanted: '1.*',
      deployed: '1.4.0',
      quarantine: [{ version: '1.4.0' }],
      list: ['1.2.9', inRollout('1.3.0', 's2', 5), '1.4.0'],
      ...ROVER,
      expected:
        'rollback to 1.2.9: 1.4.0 failed on this machine; 1.2.9 instead: newest release of 1 that may be selected; 1.3.0 is refused: the rollout at 5 % does not include this machine yet: cohort 0.40 is not below 0.05',
    },
    {
      case: 'D50 a pin bypasses the rollout, with a warning',
      wanted: '1.3.0',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's1', 50, HALTED)],
      ...ROVER,
      expected: 'upgrade to 1.3.0: pinned',
      warns: ['rollout-bypassed'],
    },
    {
      case: 'D50 a pin to a release whose rollout includes the machine: no warning',
      wanted: '1.3.0',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's1', 50)],
      ...ROVER,
      expected: 'upgrade to 1.3.0: pinned',
    },
    {
      case: 'D50 a pin that is deployed: no warning',
      wanted: '1.3.0',
      deployed: '1.3.0',
      list: ['1.2.9', inRollout('1.3.0', 's1', 50, HALTED)],
      ...ROVER,
      expected: 'up-to-date: pinned',
    },
  ]);

  it('D50 the warning about a pin says why the rollout excludes the machine', () => {
    const list = [inRollout('1.3.0', 's2', 5)];
    const decision = decide(moduleQuestion({ wanted: '1.3.0', deployed: null, list, ...ROVER }));
    expect(decisionWarnings(decision).map((one) => describeWarning(one, decision))).toEqual([
      'the pin bypasses the rollout of 1.3.0: the rollout at 5 % does not include this machine yet: cohort 0.40 is not below 0.05',
    ]);
  });
});

it('D49 explains each entry in rollout in one line', () => {
  const list = [
    inRollout('1.5.0', 's1', 20, { halted: 'a\nb' }),
    inRollout('1.4.0', 's2', 5),
    inRollout('1.3.0', 's1', 50),
    '1.2.9',
  ];
  const rollouts = { machineId: 'rover-7', confirmedAt: NOW - 2 * HOUR };
  expect(explain(ask('1.*', list, { now: NOW, rollouts }))).toEqual([
    String.raw`1.5.0  no   rollout halted at 20 % (a\u{a}b)`,
    '1.4.0  no   the rollout at 5 % does not include this machine yet: cohort 0.40 is not below 0.05',
    '1.3.0  no   its rollout at 50 % needs a list confirmed within 1 h, and this one was confirmed at 2026-11-20T22:00:00Z',
    '1.2.9  YES  newest release of 1 that may be selected',
  ]);
});
