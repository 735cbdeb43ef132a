import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { built, DAY, NOW } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.5', '2.0.0'];
const DOWN = { kind: 'registry-unreachable', message: 'registry unreachable (ENOTFOUND)' };

describe('D20: the pin is not in the list', () => {
  decidesOn([
    {
      case: 'D20 another version is deployed: stuck, and the reason names the nearest versions',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: LIST,
      expected:
        'stuck pin-not-published: the pin is not published; the nearest published versions are 1.2.3 and 1.2.5',
    },
    {
      case: 'D20 nothing is deployed: stuck, without a fallback',
      wanted: '1.2.4',
      deployed: null,
      list: LIST,
      expected:
        'stuck pin-not-published: the pin is not published; the nearest published versions are 1.2.3 and 1.2.5',
    },
    {
      case: 'D20 the list is empty: stuck',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: [],
      expected: 'stuck pin-not-published: the pin is not published; the list is empty',
    },
    {
      case: 'D20 the pin is deployed: up to date',
      wanted: '1.2.4',
      deployed: '1.2.4',
      list: LIST,
      expected: 'up-to-date: pinned, but no longer published',
      warns: ['pin-not-published'],
    },
    {
      case: 'D35 a build of the pin is deployed: up to date',
      wanted: '1.2.4',
      list: LIST,
      deployed: '1.2.4+b1',
      expected: 'up-to-date: a build of the pin 1.2.4, which is not published',
      warns: ['pin-not-published'],
    },
    {
      case: 'D20 with D30: the pin is deployed and no other release is eligible: up to date',
      wanted: '1.2.4',
      deployed: '1.2.4',
      list: [{ version: '1.2.5', yanked: '' }],
      expected: 'up-to-date: pinned, but no longer published',
      warns: ['pin-not-published'],
    },
  ]);
});

describe('D21, D22: no usable list', () => {
  const stale = { confirmedAt: NOW - 7 * DAY, message: 'registry unreachable' };
  decidesOn([
    {
      case: 'D21 no list: stuck, with the message of the registry',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: { error: DOWN },
      expected: 'stuck no-list: registry unreachable (ENOTFOUND)',
    },
    {
      case: 'D21 an unknown module: stuck, not removed',
      wanted: 'latest',
      deployed: '1.2.3',
      list: { error: { kind: 'unknown-module', message: 'no module acme:lidar' } },
      expected: 'stuck no-list: no module acme:lidar',
    },
    {
      case: 'D22 a list with a lower generation: stuck',
      wanted: '1.*',
      deployed: '1.2.3',
      list: { error: { kind: 'registry-regressed', message: 'generation 41 < 57 seen' } },
      expected: 'stuck no-list: generation 41 < 57 seen',
    },
    {
      case: 'D21 a saved list at the age limit is used',
      wanted: '1.2.*',
      stale,
      deployed: '1.2.3',
      list: LIST,
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
      warns: ['stale-list'],
    },
    {
      case: 'D21 a saved list above the age limit: stuck',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: LIST,
      stale: { ...stale, confirmedAt: stale.confirmedAt - 1 },
      expected:
        'stuck list-stale: registry unreachable; the saved list was confirmed at 2026-11-13T23:59:59.999Z, the limit is 7 d',
    },
    {
      case: 'D21 a saved list above the age limit, and the newest version deployed: stuck',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      stale: { ...stale, confirmedAt: 0 },
      expected:
        'stuck list-stale: registry unreachable; the saved list was confirmed at 1970-01-01T00:00:00Z, the limit is 7 d',
    },
    {
      case: 'D21 T96 a saved list confirmed more than five minutes in the future, by a wrong clock: stuck',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      stale: { ...stale, confirmedAt: NOW + 5 * 60_000 + 1 },
      expected:
        'stuck list-stale: registry unreachable; the saved list was confirmed at 2026-11-21T00:05:00.001Z, by a clock ahead of this one',
    },
    {
      case: 'D21 a saved list confirmed five minutes in the future, before the clock was set back, is used',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      stale: { ...stale, confirmedAt: NOW + 5 * 60_000 },
      expected: 'up-to-date: already the newest patch of 1.2',
      warns: ['stale-list'],
    },
    {
      case: 'D22 a changed digest refuses only that release',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: ['1.2.3', '1.2.4', '1.2.5'],
      changed: ['1.2.5'],
      expected:
        'upgrade to 1.2.4: newest patch of 1.2 that may be selected; 1.2.5 is refused: digest changed: sha256:bb for any, first seen as sha256:aa',
    },
  ]);
});

describe('D30: nothing eligible', () => {
  decidesOn([
    {
      case: 'D30 the deployed version is in the branch: keep',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: [{ version: '1.2.3', yanked: '' }, { version: '1.2.4', yanked: '' }, '2.0.0'],
      expected:
        'ahead: stays at 1.2.3, which is yanked; 1.2.4 is yanked; no release may be selected: 2 yanked, 1 of another major version',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D30 an empty list: keep',
      wanted: 'latest',
      deployed: '1.2.3',
      list: [],
      expected:
        'ahead: stays at 1.2.3, which is not in the list; no release may be selected: the list is empty',
      warns: ['ahead'],
    },
    {
      case: 'D30 the deployed version is outside the branch: stuck, with the count of each reason',
      wanted: '3.*',
      deployed: '1.2.3',
      list: [...LIST, '3.0.0-beta.1', 'reload-1'],
      expected:
        'stuck no-match: no release may be selected: 3 of another major version, 1 only a prerelease, 1 without a version',
    },
    {
      case: 'D30 nothing is deployed: stuck',
      wanted: '1.*',
      deployed: null,
      list: ['2.0.0'],
      expected: 'stuck no-match: no release may be selected: 1 of another major version',
    },
    {
      case: 'D30 a pin that is listed but refused: stuck with the code of the refusal',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: [built('1.2.5', 'linux/amd64')],
      expected:
        'stuck no-artifact: the pin is published but refused: no artifact for linux/arm64; published for linux/amd64',
    },
    {
      case: 'D30 a pin whose digest changed: stuck',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: LIST,
      changed: ['1.2.5'],
      expected:
        'stuck digest-changed: the pin is published but refused: digest changed: sha256:bb for any, first seen as sha256:aa',
    },
    {
      case: 'D30 with D20: the pin is deployed, listed and refused: keep',
      wanted: '1.2.5',
      deployed: '1.2.5',
      list: LIST,
      changed: ['1.2.5'],
      expected:
        'ahead: stays at 1.2.5, which is refused: digest changed: sha256:bb for any, first seen as sha256:aa',
      warns: ['ahead'],
    },
    {
      case: 'D30 a pin that was published after `notAfter`: stuck',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: [{ version: '1.2.5', publishedAt: NOW + 1 }],
      eligibility: { notAfter: NOW },
      expected:
        'stuck not-yet-published: the pin is published but refused: not yet published: its publish time is 2026-11-21T00:00:00.001Z',
    },
  ]);
});
