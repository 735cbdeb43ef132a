import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { decidesOn, moduleQuestion, told } from '../../support/decided.ts';
import { DAY, inRollout, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const MINUTE = HOUR / 60;

/** The cohorts of rover-7 are 0.12 with the salt s1, and 0.40 with s2. */
const ROVER = { eligibility: { machineId: 'rover-7' } };

describe('D51: when the list was confirmed', () => {
  const LIST = ['1.2.9', inRollout('1.3.0', 's1', 50)];
  const UNCONFIRMED =
    'upgrade to 1.2.9: newest release of 1 that may be selected; 1.3.0 is refused: its rollout at 50 % needs a list confirmed within 1 h, and this one was confirmed at';
  decidesOn([
    {
      case: 'D51 an hour ago: a release in rollout is selected',
      wanted: '1.*',
      deployed: '1.2.3',
      list: LIST,
      readAt: NOW - HOUR,
      ...ROVER,
      expected: 'upgrade to 1.3.0: newest release of 1',
    },
    {
      case: 'D51 longer ago: the best release that is not in rollout is selected',
      wanted: '1.*',
      deployed: '1.2.3',
      list: LIST,
      readAt: NOW - HOUR - 1,
      ...ROVER,
      expected: `${UNCONFIRMED} 2026-11-20T22:59:59.999Z`,
    },
    {
      case: 'D51 by a clock more than five minutes ahead: as if it were long ago (T96)',
      wanted: '1.*',
      deployed: '1.2.3',
      list: LIST,
      readAt: NOW + 5 * MINUTE + 1,
      ...ROVER,
      expected: `${UNCONFIRMED} 2026-11-21T00:05:00.001Z`,
    },
    {
      case: 'D51 with D21: a saved list still decides about releases that are not in rollout',
      wanted: '1.*',
      deployed: '1.2.3',
      list: LIST,
      stale: { confirmedAt: NOW - 2 * HOUR, message: 'down' },
      ...ROVER,
      expected: `${UNCONFIRMED} 2026-11-20T22:00:00Z`,
      warns: ['stale-list'],
    },
    {
      case: 'D51 with D21: a saved list that was confirmed within the hour is enough',
      wanted: '1.*',
      deployed: '1.2.3',
      list: LIST,
      stale: { confirmedAt: NOW - HOUR, message: 'down' },
      ...ROVER,
      expected: 'upgrade to 1.3.0: newest release of 1',
      warns: ['stale-list'],
    },
    {
      case: 'D51 the deployed version needs no confirmation',
      wanted: '1.*',
      deployed: '1.3.0',
      list: LIST,
      stale: { confirmedAt: NOW - 2 * DAY, message: 'down' },
      ...ROVER,
      expected: 'up-to-date: already the newest release of 1',
      warns: ['stale-list'],
    },
    {
      case: 'D51 nor does a rollout of 100 % select a release without it',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', inRollout('1.3.0', 's1', 100)],
      readAt: NOW - 2 * HOUR,
      expected:
        'up-to-date: stays at 1.2.9: 1.3.0 is refused: its rollout at 100 % needs a list confirmed within 1 h, and this one was confirmed at 2026-11-20T22:00:00Z',
    },
  ]);

  it('D51 the rollout excludes a machine before the age of the list does', () => {
    const list = [inRollout('1.3.0', 's2', 5), inRollout('1.2.0', 's1', 50, { halted: '' })];
    const question = { wanted: '1.*', deployed: '1.0.0', list, readAt: 0, ...ROVER };
    expect(told(decide(moduleQuestion(question)))).toBe(
      'ahead: stays at 1.0.0, which is not in the list; 1.3.0 is refused: the rollout at 5 % does not include this machine yet: cohort 0.40 is not below 0.05, 1.2.0 is refused: rollout halted at 50 %; no release may be selected: 1 not yet rolled out to this machine, 1 with a halted rollout',
    );
  });
});
