import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5'];
const WAITING = {
  version: '1.2.5',
  reason: 'no camera',
  undecided: { sameAs: '1.2.4', isWaiting: true },
} as const;
const MAY_BE_TRIED = { ...WAITING, undecided: { sameAs: '1.2.4', isWaiting: false } } as const;
const ELSEWHERE = { version: '1.2.5', reason: 'no camera', failedIn: 'rear' } as const;

describe('D80: another version fails in the same way', () => {
  decidesOn([
    {
      case: 'D80 a release that is undecided waits until that one works',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: [WAITING],
      expected:
        'up-to-date: stays at 1.2.4: 1.2.5 is undecided: 1.2.4 fails in the same way (no camera); it is tried again once that works',
    },
    {
      case: 'D80 it is then tried again',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: [MAY_BE_TRIED],
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D80 a newer release is tried at once',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: [...LIST, '1.2.6'],
      quarantine: [WAITING],
      expected: 'upgrade to 1.2.6: newest patch of 1.2',
    },
    {
      case: 'D80 an undecided release that is deployed stays, with a warning',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: [WAITING],
      expected: 'up-to-date: already the newest patch of 1.2',
      warns: ['undecided'],
    },
    {
      case: 'D80 nothing runs: the version before it replaces it',
      wanted: '1.2.*',
      deployed: null,
      failed: '1.2.5',
      previous: '1.2.3',
      list: LIST,
      quarantine: [WAITING],
      expected:
        'rollback to 1.2.3: 1.2.5 failed on this machine (no camera); 1.2.3 was deployed before it',
    },
  ]);
});

describe('D81: the release failed in another entry', () => {
  decidesOn([
    {
      case: 'D81 it is not begun in this one',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: [ELSEWHERE],
      expected:
        'up-to-date: stays at 1.2.4: 1.2.5 is quarantined on this machine, because it failed in entry rear (no camera)',
    },
    {
      case: 'D81 where it is deployed, it stays, with a warning',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: [ELSEWHERE],
      expected: 'up-to-date: already the newest patch of 1.2',
      warns: ['failed-in-another-entry'],
    },
    {
      case: 'D81 the release after it fails: it is deployed again, because it worked here',
      wanted: '1.2.*',
      deployed: '1.2.6',
      previous: '1.2.5',
      list: [...LIST, '1.2.6'],
      quarantine: [ELSEWHERE, { version: '1.2.6' }],
      expected: 'rollback to 1.2.5: 1.2.6 failed on this machine; 1.2.5 was deployed before it',
    },
    {
      case: 'D81 what is undecided there waits here',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: [{ ...WAITING, failedIn: 'rear' }],
      expected:
        'up-to-date: stays at 1.2.4: 1.2.5 is undecided: 1.2.4 fails in the same way in entry rear (no camera); it is tried again once that works',
    },
  ]);
});
