import { describe } from 'vitest';
import { openFrom, decidesOn } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5', '2.0.0'];
const FAILED = [{ version: '1.2.5' }];

describe('D13 outranks D16 to D19, and nothing holds a rollback', () => {
  decidesOn([
    {
      case: 'D13 with D16: the failed version is ahead: rollback',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: LIST,
      quarantine: [{ version: '1.2.6' }],
      expected:
        'rollback to 1.2.5: 1.2.6 failed on this machine; 1.2.5 instead: newest patch of 1.2',
    },
    {
      case: 'D13 with D17: under latest, a failed prerelease is rolled back to a lower version',
      wanted: 'latest',
      deployed: '3.0.0-rc.1',
      list: LIST,
      quarantine: [{ version: '3.0.0-rc.1' }],
      previous: '1.2.5',
      expected:
        'rollback to 1.2.5: 3.0.0-rc.1 failed on this machine; 1.2.5 was deployed before it',
    },
    {
      case: 'D13 with D18: outside the branch, and downgrades are not allowed: rollback',
      wanted: '1.*',
      deployed: '2.0.0',
      list: LIST,
      quarantine: [{ version: '2.0.0' }],
      allowDowngrade: false,
      expected:
        'rollback to 1.2.5: 2.0.0 failed on this machine; 1.2.5 instead: newest release of 1',
    },
    {
      case: 'D13 with D18: outside the branch, and no release in it: stuck',
      wanted: '3.*',
      deployed: '2.0.0',
      list: LIST,
      quarantine: [{ version: '2.0.0' }],
      expected: 'stuck no-match: no release may be selected: 4 of another major version',
    },
    {
      case: 'D13 with D19: a pin that is not the failed version: rolls back to the pin',
      wanted: '1.2.3',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      previous: '1.2.4',
      allowDowngrade: false,
      expected: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: pinned',
    },
    {
      case: 'D13 with D25: window closed, server busy, in the cooldown and at the ceiling: rollback',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      timing: {
        window: openFrom([NOW + DAY, NOW + 2 * DAY]),
        isServerBusy: true,
        restarts: [NOW - 1],
        restartCeiling: 1,
      },
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 with D29: maintenance is not allowed: rollback',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      timing: { answer: 'not-allowed' as const },
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
  ]);
});
