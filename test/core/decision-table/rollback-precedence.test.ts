import { describe } from 'vitest';
import { openFrom, decidesOn } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5', '2.0.0'];
const FAILED = [{ version: '1.2.5' }];

describe('D13 outranks D16 to D19, and is held by nothing', () => {
  decidesOn([
    {
      case: 'D13 with D16: ahead, and failed',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: LIST,
      quarantine: [{ version: '1.2.6' }],
      told: 'rollback to 1.2.5: 1.2.6 failed on this machine; 1.2.5 instead: newest patch of 1.2',
    },
    {
      case: 'D13 with D17: latest goes down',
      wanted: 'latest',
      deployed: '3.0.0-rc.1',
      list: LIST,
      quarantine: [{ version: '3.0.0-rc.1' }],
      previous: '1.2.5',
      told: 'rollback to 1.2.5: 3.0.0-rc.1 failed on this machine; 1.2.5 was deployed before it',
    },
    {
      case: 'D13 with D18: outside the branch, no downgrade allowed',
      wanted: '1.*',
      deployed: '2.0.0',
      list: LIST,
      quarantine: [{ version: '2.0.0' }],
      allowDowngrade: false,
      told: 'rollback to 1.2.5: 2.0.0 failed on this machine; 1.2.5 instead: newest release of 1',
    },
    {
      case: 'D13 with D18: outside the branch, and nothing in it',
      wanted: '3.*',
      deployed: '2.0.0',
      list: LIST,
      quarantine: [{ version: '2.0.0' }],
      told: 'stuck no-match: no release may be chosen: 4 other-major',
    },
    {
      case: 'D13 with D19: a pin other than what failed',
      wanted: '1.2.3',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      previous: '1.2.4',
      allowDowngrade: false,
      told: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: pinned',
    },
    {
      case: 'D13 with D25: no window, busy, resting, at the ceiling',
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
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      case: 'D13 with D29: maintenance is not allowed',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      timing: { answer: 'not-allowed' as const },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
  ]);
});
