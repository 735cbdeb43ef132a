import { describe, expect, it } from 'vitest';
import type { Eligibility, ReleaseRecord } from '../../../src/core/index.ts';
import { describeRefused } from '../../../src/core/explanation/words.ts';
import { ask, constraint } from '../../support/ask.ts';
import { decides, inRollout, NOW } from '../../support/decides.ts';

const CANARY = ['canary'];
const BOTH = ['canary', 'lab'];

/** 1.3.0 at its groups: the share is 0. */
function first(groups: readonly string[], more: object = {}): (string | ReleaseRecord)[] {
  return ['1.2.9', inRollout('1.3.0', 's1', 0, { groups, ...more })];
}

/** A machine whose cohorts are 0.12 with the salt s1, and 0.40 with s2. */
function rover(group?: string, more: object = {}): Eligibility {
  return { now: NOW, rollouts: { machineId: 'rover-7', group, ...more } };
}

describe('D107: a rollout names groups that get the release first', () => {
  decides([
    {
      case: '[D107, D108] a machine of the group: selected',
      constraint: '1.*',
      list: first(CANARY),
      eligibility: rover('canary'),
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: '[D107] a machine of a later group: the next release is considered',
      constraint: '1.*',
      list: first(CANARY),
      eligibility: rover('lab'),
      chosen: '1.2.9',
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: '[D107] a machine of the second group, once it is included',
      constraint: '1.*',
      list: first(BOTH),
      eligibility: rover('lab'),
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: '[D108] a machine without a group, whatever its cohort',
      constraint: '1.*',
      list: first(BOTH),
      eligibility: rover(),
      chosen: '1.2.9',
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: '[D108] a machine without an id is included with its group',
      constraint: '1.*',
      list: first(CANARY),
      eligibility: { now: NOW, rollouts: { group: 'canary' } },
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: '[D108] the names of groups have upper and lower case',
      constraint: '1.*',
      list: first(CANARY),
      eligibility: rover('Canary'),
      chosen: '1.2.9',
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: '[D107] a percentage includes a machine of no group by its cohort',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's1', 20, { groups: BOTH })],
      eligibility: rover(),
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: '[D107] and a machine of a group, whatever its cohort',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's2', 20, { groups: BOTH })],
      eligibility: rover('lab'),
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: '[D107] a halt comes before the group',
      constraint: '1.*',
      list: first(CANARY, { halted: 'burns' }),
      eligibility: rover('canary'),
      chosen: '1.2.9',
      refused: ['1.3.0: rollout-halted'],
    },
    {
      case: '[D107] the list must be confirmed, as for a cohort (D51)',
      constraint: '1.*',
      list: first(CANARY),
      eligibility: rover('canary', { confirmedAt: NOW - 3_600_001 }),
      chosen: '1.2.9',
      refused: ['1.3.0: rollout-unconfirmed'],
    },
    {
      case: '[D107, T402] a machine that has the release and left the group keeps it (D50)',
      constraint: '1.*',
      list: first(CANARY),
      eligibility: rover('office', { deployed: '1.3.0' }),
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
    {
      case: '[D107] of two entries only the groups of both count (D11)',
      constraint: '1.*',
      list: [...first(BOTH), inRollout('1.3.0', 's2', 0, { groups: ['lab'] })],
      eligibility: rover('canary'),
      chosen: '1.2.9',
      refused: ['1.3.0: not-in-rollout'],
    },
    {
      case: '[T404] groups that could not be read include nobody, and the cohort still counts',
      constraint: '1.*',
      list: ['1.2.9', inRollout('1.3.0', 's1', 20, { groups: [] })],
      eligibility: rover('canary'),
      chosen: '1.3.0',
      refused: ['1.2.9: older'],
    },
  ]);
});

it.each([
  [first(CANARY), 'office', 'not in rollout: the group canary first'],
  [first(BOTH), undefined, 'not in rollout: the groups canary, lab first'],
  [
    [inRollout('1.3.0', 's2', 20, { groups: BOTH })],
    'office',
    'the rollout at 20 % does not include this machine yet: cohort 0.40 is not below 0.20',
  ],
])('[D107] %j says to a machine in the group %s: %s', (list, group, words) => {
  const resolution = ask('1.*', list, rover(group));
  const [refused] = resolution.refused();
  expect(refused && describeRefused(refused, constraint('1.*'))).toBe(words);
});
