import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { aged, DAY, digested, NOW } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5', '2.0.0'];
const FAILED = [{ version: '1.2.5' }];

describe('D13: the deployed version failed on this machine', () => {
  decidesOn([
    {
      case: 'D13 rolls back to the previous version',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      previous: '1.2.3',
      expected: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 was deployed before it',
    },
    {
      case: 'D13 no previous version: rolls back to the newest eligible release',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      quarantine: FAILED,
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 the newest eligible release may be higher than the failed one',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: [...LIST, '1.2.6'],
      quarantine: FAILED,
      expected:
        'rollback to 1.2.6: 1.2.5 failed on this machine; 1.2.6 instead: newest patch of 1.2',
    },
    {
      case: 'D13 the previous version failed too: the next lower release',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: [...FAILED, { version: '1.2.4' }],
      previous: '1.2.4',
      expected:
        'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2 that may be selected; 1.2.4 is quarantined on this machine',
    },
    {
      case: 'D13 the previous version is outside the branch: the newest eligible release',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      quarantine: FAILED,
      previous: '2.0.0',
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 the previous version is a prerelease that the constraint refuses: the newest eligible release',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: [...LIST, '1.2.5-rc.1'],
      quarantine: FAILED,
      previous: '1.2.5-rc.1',
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 the previous version is below the minimum age: rolls back to it anyway',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: [aged('1.2.4', 2), aged('1.2.5', 1), aged('1.2.3', 9)],
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' as const } },
      quarantine: FAILED,
      previous: '1.2.4',
      expected: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 was deployed before it',
    },
    {
      case: 'D13 the previous version has an unknown age: rolls back to it anyway',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' as const } },
      quarantine: FAILED,
      previous: '1.2.4',
      expected: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 was deployed before it',
    },
    {
      case: 'D13 with D21: a saved list within the age limit is used for a rollback',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      quarantine: FAILED,
      previous: '1.2.4',
      stale: { confirmedAt: NOW - DAY, message: 'down' },
      expected: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 was deployed before it',
      warns: ['stale-list'],
    },
    {
      case: 'D13 with D21: a saved list above the age limit: stuck',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      quarantine: FAILED,
      previous: '1.2.4',
      stale: { confirmedAt: NOW - 8 * DAY, message: 'down' },
      expected:
        'stuck list-stale: down; the saved list was confirmed at 2026-11-13T00:00:00Z, the limit is 7 d',
    },
    {
      case: 'D13 the previous version was yanked: the newest eligible release (D7)',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: ['1.2.3', { version: '1.2.4', yanked: '' }, '1.2.5'],
      quarantine: FAILED,
      previous: '1.2.4',
      expected:
        'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2 that may be selected; 1.2.4 is yanked',
    },
    {
      case: 'D13 the previous version is no longer published: the newest eligible release',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      quarantine: FAILED,
      previous: '1.2.2',
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 no other release: keep (D30)',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: ['1.2.5'],
      quarantine: FAILED,
      expected:
        'ahead: stays at 1.2.5, which is quarantined on this machine; no release may be selected: 1 in quarantine',
      warns: ['ahead'],
    },
    {
      case: 'D13 an empty list: keep',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: [],
      quarantine: FAILED,
      expected:
        'ahead: stays at 1.2.5, which failed on this machine; no release may be selected: the list is empty',
      warns: ['ahead'],
    },
    {
      case: 'D13 the quarantine ended: up to date',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: [{ version: '1.2.5', until: NOW }],
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D13 published again with another digest: up to date',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: ['1.2.4', digested('1.2.5', 'linux/arm64', 'sha256:bb')],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D13 published with the digest that failed and another for all platforms: rollback',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: [
        '1.2.4',
        digested('1.2.5', 'linux/arm64', 'sha256:aa'),
        digested('1.2.5', 'any', 'sha256:bb'),
      ],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 published with the digest that failed: rollback',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: ['1.2.4', digested('1.2.5', 'linux/arm64', 'sha256:aa')],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 the failed version has no file for the platform any more: rollback',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: ['1.2.4', digested('1.2.5', 'linux/amd64', 'sha256:bb')],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 the failed version is no longer listed: rollback',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: ['1.2.4'],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      expected:
        'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      case: 'D13 a version that is not deployed failed: up to date',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: FAILED,
      expected: 'up-to-date: stays at 1.2.4: 1.2.5 is quarantined on this machine',
    },
  ]);
});

describe('D13: pinned and quarantined', () => {
  decidesOn([
    {
      case: 'D13 the failed pin is deployed: stuck',
      wanted: '1.2.5',
      deployed: '1.2.5',
      list: LIST,
      quarantine: FAILED,
      previous: '1.2.4',
      expected: 'stuck quarantined: the pin failed on this machine and is quarantined',
    },
    {
      case: 'D13 the failed pin is deployed, and its quarantine has an end: stuck until then',
      wanted: '1.2.5',
      deployed: '1.2.5',
      list: LIST,
      quarantine: [{ version: '1.2.5', until: NOW + DAY }],
      expected:
        'stuck quarantined: the pin failed on this machine and is quarantined until 2026-11-22T00:00:00Z',
    },
    {
      case: 'D13 pinned to a failed version, and another one is deployed: stuck',
      wanted: '1.2.5',
      list: LIST,
      deployed: '1.2.4',
      quarantine: FAILED,
      expected: 'stuck quarantined: the pin failed on this machine and is quarantined',
    },
    {
      case: 'D13 pinned to a failed version whose quarantine has an end: stuck until then',
      wanted: '1.2.5',
      deployed: '1.2.4',
      list: LIST,
      quarantine: [{ version: '1.2.5', until: NOW + DAY }],
      expected:
        'stuck quarantined: the pin failed on this machine and is quarantined until 2026-11-22T00:00:00Z',
    },
    {
      case: 'D13 outranks D20: the failed pin is deployed and no longer listed: stuck quarantined',
      wanted: '1.2.5',
      deployed: '1.2.5',
      list: ['1.2.4'],
      quarantine: FAILED,
      expected: 'stuck quarantined: the pin failed on this machine and is quarantined',
    },
    {
      case: 'D13 with D35: a build of the pin failed, and no other build replaces it: stuck',
      wanted: '1.2.5',
      list: ['1.2.5+b2'],
      deployed: '1.2.5+b1',
      quarantine: [{ version: '1.2.5+b1' }],
      expected:
        'stuck pin-not-published: the pin is not published; published with the same numbers: 1.2.5+b2; a pin accepts only its exact text',
    },
  ]);
});
