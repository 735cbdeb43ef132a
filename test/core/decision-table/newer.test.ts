import { describe } from 'vitest';
import { version } from '../../support/ask.ts';
import { decidesOn } from '../../support/decided.ts';
import { aged, DAY, NOW } from '../../support/decides.ts';

describe('[D31] the newer releases in the branch are named, each with its reason', () => {
  const WEEK = { ms: 7 * DAY, unknown: 'refuse' } as const;
  decidesOn([
    {
      case: 'D31 after a rollback and a failure: both are named',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.9', '1.2.10', '1.3.0', '1.4.0'],
      quarantine: [
        { version: '1.4.0', reason: 'health check failed' },
        {
          version: '1.3.0',
          rolledBack: {
            from: version('1.3.0'),
            to: version('1.2.9'),
            refused: new Set(['1.2.10', '1.3.0']),
          },
        },
      ],
      expected:
        'up-to-date: stays at 1.2.9: 1.4.0 is quarantined on this machine (health check failed), 1.3.0 and 1.2.10 are refused by a rollback on this machine',
    },
    {
      case: 'D31 an upgrade that is not to the newest: the newer ones are named',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: ['1.2.3', '1.2.5', { version: '1.2.6', yanked: 'stops the motor' }, '1.3.0'],
      expected:
        'upgrade to 1.2.5: newest patch of 1.2 that may be selected; 1.2.6 is yanked: stops the motor',
    },
    {
      case: 'D31 a held upgrade: the newer ones follow the reason of the hold',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: ['1.2.5', { version: '1.2.6', artifacts: [] }],
      timing: { isServerBusy: true },
      expected:
        'upgrade to 1.2.5 waits: the server is processing config changes; 1.2.6 has no artifact for linux/arm64; published for no platform at all',
    },
    {
      case: 'D31 a rollback: a newer release that did not fail is named as well',
      wanted: '1.2.*',
      deployed: '1.2.6',
      previous: '1.2.5',
      list: ['1.2.5', '1.2.6', { version: '1.2.7', yanked: '' }],
      quarantine: [{ version: '1.2.6', reason: 'it crashed', until: NOW + DAY }],
      expected:
        'rollback to 1.2.5: 1.2.6 failed on this machine (it crashed); 1.2.5 was deployed before it; 1.2.7 is yanked',
    },
    {
      case: 'D31 the deployed version is ahead of the best: only what is newer than both is named',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: ['1.2.5', { version: '1.2.6', yanked: '' }, { version: '1.2.7', yanked: 'hot' }],
      expected:
        'ahead: stays at 1.2.6, which is yanked; the newest patch of 1.2 that may be selected is 1.2.5; 1.2.7 is yanked: hot',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D31 more than three of one reason: two are named',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', aged('1.1.0', 1), aged('1.2.0', 1), aged('1.3.0', 1), aged('1.4.0', 1)],
      eligibility: { minimumAge: { ...WEEK, unknown: 'allow' } },
      expected:
        'up-to-date: stays at 1.0.0: 1.4.0, 1.3.0 and 2 more are too young until 2026-11-27T00:00:00Z',
    },
    {
      case: 'D31 more than three reasons: the rest is counted',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [aged('1.0.0', 9), ...[1, 2, 3, 4, 5].map((days) => aged(`1.${days}.0`, days))],
      eligibility: { minimumAge: WEEK },
      expected:
        'up-to-date: stays at 1.0.0: 1.5.0 is too young until 2026-11-23T00:00:00Z, 1.4.0 is too young until 2026-11-24T00:00:00Z, 1.3.0 is too young until 2026-11-25T00:00:00Z, 2 more refused',
    },
    {
      case: 'D31 one reason is named once, although another release is between',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [
        '1.0.0',
        { version: '1.1.0', yanked: '' },
        { version: '1.2.0', artifacts: [] },
        { version: '1.3.0', yanked: '' },
      ],
      expected:
        'up-to-date: stays at 1.0.0: 1.3.0 and 1.1.0 are yanked, 1.2.0 has no artifact for linux/arm64; published for no platform at all',
    },
    {
      case: 'D31 a prerelease is not one that the constraint accepts: not named',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', '1.1.0-rc.1'],
      expected: 'up-to-date: already the newest release of 1',
    },
    {
      case: 'D31 no publish time, and a digest that changed',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [aged('1.0.0', 9), aged('1.1.0', 8), '1.2.0'],
      changed: ['1.1.0'],
      eligibility: { minimumAge: WEEK },
      expected:
        'up-to-date: stays at 1.0.0: 1.2.0 is of unknown age: it has no publish time, 1.1.0 is refused: digest changed: sha256:bb for any, first seen as sha256:aa',
    },
  ]);
});
