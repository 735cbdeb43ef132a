import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { built, DAY, NOW } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.5', '2.0.0'];
const DOWN = { kind: 'registry-unreachable', message: 'registry unreachable (ENOTFOUND)' };

describe('D20: the list lacks the pin', () => {
  decidesOn([
    {
      case: 'D20 stuck, with what is nearest',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: LIST,
      told: 'stuck pin-not-published: the pin is not published; the nearest published versions are 1.2.3 and 1.2.5',
    },
    {
      case: 'D20 not deployed: no fallback',
      wanted: '1.2.4',
      deployed: null,
      list: LIST,
      told: 'stuck pin-not-published: the pin is not published; the nearest published versions are 1.2.3 and 1.2.5',
    },
    {
      case: 'D20 an empty list',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: [],
      told: 'stuck pin-not-published: the pin is not published; the list is empty',
    },
    {
      case: 'D20 already deployed: up to date',
      wanted: '1.2.4',
      deployed: '1.2.4',
      list: LIST,
      told: 'up-to-date: pinned, but no longer published',
      warns: ['pin-not-published'],
    },
    {
      case: 'D20 a build of it deployed: up to date',
      wanted: '1.2.4',
      list: LIST,
      deployed: '1.2.4+b1',
      told: 'up-to-date: pinned, but no longer published',
      warns: ['pin-not-published'],
    },
    {
      case: 'D20 with D30: it lacks the pin, and there is nothing else',
      wanted: '1.2.4',
      deployed: '1.2.4',
      list: [{ version: '1.2.5', yanked: '' }],
      told: 'up-to-date: pinned, but no longer published',
      warns: ['pin-not-published'],
    },
  ]);
});

describe('D21, D22: no list to be had', () => {
  const stale = { confirmedAt: NOW - 7 * DAY, message: 'registry unreachable' };
  decidesOn([
    {
      case: 'D21 none: stuck, with what the registry said',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: { error: DOWN },
      told: 'stuck no-list: registry unreachable (ENOTFOUND)',
    },
    {
      case: 'D21 an unknown module is no removal',
      wanted: 'latest',
      deployed: '1.2.3',
      list: { error: { kind: 'unknown-module', message: 'no module acme:lidar' } },
      told: 'stuck no-list: no module acme:lidar',
    },
    {
      case: 'D22 a list that went backwards',
      wanted: '1.*',
      deployed: '1.2.3',
      list: { error: { kind: 'registry-regressed', message: 'generation 41 < 57 seen' } },
      told: 'stuck no-list: generation 41 < 57 seen',
    },
    {
      case: 'D21 a saved list that is as old as it may be',
      wanted: '1.2.*',
      stale,
      deployed: '1.2.3',
      list: LIST,
      told: 'upgrade to 1.2.5: newest patch of 1.2',
      warns: ['stale-list'],
    },
    {
      case: 'D21 a saved list that is older',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: LIST,
      stale: { ...stale, confirmedAt: stale.confirmedAt - 1 },
      told: 'stuck list-stale: registry unreachable; the saved list was confirmed at 2026-11-13T23:59:59.999Z, the limit is 7 d',
    },
    {
      case: 'D21 a saved list that is older, and nothing to do',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.5',
      stale: { ...stale, confirmedAt: 0 },
      told: 'stuck list-stale: registry unreachable; the saved list was confirmed at 1970-01-01T00:00:00Z, the limit is 7 d',
    },
    {
      case: 'D21 a list of the future, of a clock that was wrong',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      stale: { ...stale, confirmedAt: NOW + DAY },
      told: 'up-to-date: already the newest patch of 1.2',
      warns: ['stale-list'],
    },
    {
      case: 'D22 a digest that changed refuses that release alone',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: ['1.2.3', '1.2.4', '1.2.5'],
      changed: ['1.2.5'],
      told: 'upgrade to 1.2.4: newest patch of 1.2',
    },
  ]);
});

describe('D30: nothing eligible', () => {
  decidesOn([
    {
      case: 'D30 deployed in the branch: it stays',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: [{ version: '1.2.3', yanked: '' }, { version: '1.2.4', yanked: '' }, '2.0.0'],
      told: 'ahead: it is kept; refused: yanked; no release may be chosen: 2 yanked, 1 other-major',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D30 an empty list removes nothing',
      wanted: 'latest',
      deployed: '1.2.3',
      list: [],
      told: 'ahead: it is kept; it is not in the list; no release may be chosen: the list is empty',
      warns: ['ahead'],
    },
    {
      case: 'D30 outside the branch: stuck, with counts',
      wanted: '3.*',
      deployed: '1.2.3',
      list: [...LIST, '3.0.0-beta.1', 'reload-1'],
      told: 'stuck no-match: no release may be chosen: 3 other-major, 1 prerelease, 1 not-a-version',
    },
    {
      case: 'D30 not deployed: stuck',
      wanted: '1.*',
      deployed: null,
      list: ['2.0.0'],
      told: 'stuck no-match: no release may be chosen: 1 other-major',
    },
    {
      case: 'D30 a pin that is listed but refused: its code',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: [built('1.2.5', 'linux/amd64')],
      told: 'stuck no-artifact: the pin is published but refused: no artifact for linux/arm64; published for linux/amd64',
    },
    {
      case: 'D30 a pin of which a digest changed',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: LIST,
      changed: ['1.2.5'],
      told: 'stuck digest-changed: the pin is published but refused: digest changed: sha256:bb for any, first seen as sha256:aa',
    },
    {
      case: 'D30 with D20: the pin runs, is listed and refused',
      wanted: '1.2.5',
      deployed: '1.2.5',
      list: LIST,
      changed: ['1.2.5'],
      told: 'ahead: it is kept; refused: digest changed: sha256:bb for any, first seen as sha256:aa',
      warns: ['ahead'],
    },
    {
      case: 'D30 a pin of a later time',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: [{ version: '1.2.5', publishedAt: NOW + 1 }],
      eligibility: { notAfter: NOW },
      told: 'stuck not-yet-published: the pin is published but refused: not yet published: its publish time is 2026-11-21T00:00:00.001Z',
    },
  ]);
});
