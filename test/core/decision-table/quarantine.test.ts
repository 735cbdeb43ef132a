import { describe } from 'vitest';
import { openFrom, decidesOn } from '../../support/decided.ts';
import { aged, DAY, digested, NOW } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5', '2.0.0'];
const FAILED = [{ version: '1.2.5' }];

describe('D13: what is deployed failed on this machine', () => {
  decidesOn([
    {
      ...{ case: 'D13 back to what ran before', wanted: '1.2.*', deployed: '1.2.5', list: LIST },
      ...{ quarantine: FAILED, previous: '1.2.3' },
      told: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 ran before it',
    },
    {
      ...{ case: 'D13 nothing ran before: the best that there is', wanted: '1.2.*', list: LIST },
      ...{ deployed: '1.2.5', quarantine: FAILED },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 the best that there is may be newer', wanted: '1.2.*', deployed: '1.2.5' },
      ...{ list: [...LIST, '1.2.6'], quarantine: FAILED },
      told: 'rollback to 1.2.6: 1.2.5 failed on this machine; 1.2.6 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 what ran before failed too', wanted: '1.2.*', deployed: '1.2.5', list: LIST },
      ...{ quarantine: [...FAILED, { version: '1.2.4' }], previous: '1.2.4' },
      told: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 what ran before is outside the branch', wanted: '1.2.*', list: LIST },
      ...{ deployed: '1.2.5', quarantine: FAILED, previous: '2.0.0' },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 what ran before is a prerelease', wanted: '1.2.*', deployed: '1.2.5' },
      ...{ list: [...LIST, '1.2.5-rc.1'], quarantine: FAILED, previous: '1.2.5-rc.1' },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 what ran before may be too young', wanted: '1.2.*', deployed: '1.2.5' },
      list: [aged('1.2.4', 2), aged('1.2.5', 1), aged('1.2.3', 9)],
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' as const } },
      ...{ quarantine: FAILED, previous: '1.2.4' },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 ran before it',
    },
    {
      ...{ case: 'D13 or of unknown age', wanted: '1.2.*', deployed: '1.2.5', list: LIST },
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' as const } },
      ...{ quarantine: FAILED, previous: '1.2.4' },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 ran before it',
    },
    {
      ...{ case: 'D13 with D21: a stale list takes back too', wanted: '1.2.*', list: LIST },
      ...{ deployed: '1.2.5', quarantine: FAILED, previous: '1.2.4' },
      stale: { confirmedAt: NOW - DAY, message: 'down' },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 ran before it',
      warns: ['stale-list'],
    },
    {
      ...{ case: 'D13 with D21: one that is too old does not', wanted: '1.2.*', list: LIST },
      ...{ deployed: '1.2.5', quarantine: FAILED, previous: '1.2.4' },
      stale: { confirmedAt: NOW - 8 * DAY, message: 'down' },
      told: 'stuck list-stale: down; the list that is saved was confirmed at 2026-11-13T00:00:00Z, and at most 7 d counts',
    },
    {
      ...{ case: 'D13 what ran before was yanked (D7)', wanted: '1.2.*', deployed: '1.2.5' },
      list: ['1.2.3', { version: '1.2.4', yanked: '' }, '1.2.5'],
      ...{ quarantine: FAILED, previous: '1.2.4' },
      told: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 what ran before is not published any more', wanted: '1.2.*', list: LIST },
      ...{ deployed: '1.2.5', quarantine: FAILED, previous: '1.2.2' },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 nothing else: it stays (D30)', wanted: '1.2.*', deployed: '1.2.5' },
      ...{ list: ['1.2.5'], quarantine: FAILED },
      told: 'ahead: it stays; refused: quarantined on this machine; nothing may be chosen: 1 quarantined',
      warns: ['ahead'],
    },
    {
      ...{ case: 'D13 nothing else, and it vanished', wanted: '1.2.*', deployed: '1.2.5' },
      ...{ list: [], quarantine: FAILED },
      told: 'ahead: it stays; it failed on this machine; nothing may be chosen: the list is empty',
      warns: ['ahead'],
    },
    {
      ...{ case: 'D13 its time is over', wanted: '1.2.*', deployed: '1.2.5', list: LIST },
      quarantine: [{ version: '1.2.5', until: NOW }],
      told: 'up-to-date: already the newest patch of 1.2',
    },
    {
      ...{ case: 'D13 published again with another digest', wanted: '1.2.*', deployed: '1.2.5' },
      list: ['1.2.4', digested('1.2.5', 'linux/arm64', 'sha256:bb')],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      told: 'up-to-date: already the newest patch of 1.2',
    },
    {
      ...{ case: 'D13 with the digest that failed', wanted: '1.2.*', deployed: '1.2.5' },
      list: ['1.2.4', digested('1.2.5', 'linux/arm64', 'sha256:aa')],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 it vanished from the list', wanted: '1.2.*', deployed: '1.2.5' },
      list: ['1.2.4'],
      quarantine: [{ version: '1.2.5', digest: 'sha256:aa' }],
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 another version failed', wanted: '1.2.*', deployed: '1.2.4', list: LIST },
      quarantine: FAILED,
      told: 'up-to-date: already the newest patch of 1.2',
    },
  ]);
});

describe('D13: pinned and quarantined', () => {
  decidesOn([
    {
      ...{ case: 'D13 pinned to what failed: stuck', wanted: '1.2.5', deployed: '1.2.5' },
      ...{ list: LIST, quarantine: FAILED, previous: '1.2.4' },
      told: 'stuck quarantined: the pin failed on this machine, and is quarantined',
    },
    {
      ...{ case: 'D13 with its end', wanted: '1.2.5', deployed: '1.2.5', list: LIST },
      quarantine: [{ version: '1.2.5', until: NOW + DAY }],
      told: 'stuck quarantined: the pin failed on this machine, and is quarantined until 2026-11-22T00:00:00Z',
    },
    {
      ...{ case: 'D13 pinned to what failed, while another runs', wanted: '1.2.5', list: LIST },
      ...{ deployed: '1.2.4', quarantine: FAILED },
      told: 'stuck quarantined: the pin failed on this machine, and is quarantined',
    },
    {
      ...{ case: 'D13 the same, with its end', wanted: '1.2.5', deployed: '1.2.4', list: LIST },
      quarantine: [{ version: '1.2.5', until: NOW + DAY }],
      told: 'stuck quarantined: the pin failed on this machine, and is quarantined until 2026-11-22T00:00:00Z',
    },
    {
      ...{ case: 'D13 outranks D20: pinned to what failed and vanished', wanted: '1.2.5' },
      ...{ deployed: '1.2.5', list: ['1.2.4'], quarantine: FAILED },
      told: 'stuck quarantined: the pin failed on this machine, and is quarantined',
    },
    {
      ...{ case: 'D13 another build of the pin did not fail', wanted: '1.2.5', list: ['1.2.5+b2'] },
      ...{ deployed: '1.2.5+b1', quarantine: [{ version: '1.2.5+b1' }] },
      told: 'rollback to 1.2.5+b2: 1.2.5+b1 failed on this machine; 1.2.5+b2 instead: the highest build of the pin',
    },
  ]);
});

describe('D13 outranks D16 to D19, and is held by nothing', () => {
  decidesOn([
    {
      ...{ case: 'D13 with D16: ahead, and failed', wanted: '1.2.*', deployed: '1.2.6' },
      ...{ list: LIST, quarantine: [{ version: '1.2.6' }] },
      told: 'rollback to 1.2.5: 1.2.6 failed on this machine; 1.2.5 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 with D17: latest goes down', wanted: 'latest', deployed: '3.0.0-rc.1' },
      ...{ list: LIST, quarantine: [{ version: '3.0.0-rc.1' }], previous: '1.2.5' },
      told: 'rollback to 1.2.5: 3.0.0-rc.1 failed on this machine; 1.2.5 ran before it',
    },
    {
      ...{ case: 'D13 with D18: outside the branch, no downgrade allowed', wanted: '1.*' },
      ...{ deployed: '2.0.0', list: LIST, quarantine: [{ version: '2.0.0' }] },
      allowDowngrade: false,
      told: 'rollback to 1.2.5: 2.0.0 failed on this machine; 1.2.5 instead: newest release of 1',
    },
    {
      ...{ case: 'D13 with D18: outside the branch, and nothing in it', wanted: '3.*' },
      ...{ deployed: '2.0.0', list: LIST, quarantine: [{ version: '2.0.0' }] },
      told: 'stuck no-match: nothing may be chosen: 4 other-major',
    },
    {
      ...{ case: 'D13 with D19: a pin other than what failed', wanted: '1.2.3', deployed: '1.2.5' },
      ...{ list: LIST, quarantine: FAILED, previous: '1.2.4', allowDowngrade: false },
      told: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: pinned',
    },
    {
      ...{ case: 'D13 with D25: no window, busy, resting, at the ceiling', wanted: '1.2.*' },
      ...{ deployed: '1.2.5', list: LIST, quarantine: FAILED },
      timing: {
        ...{ window: openFrom([NOW + DAY, NOW + 2 * DAY]), isServerBusy: true },
        ...{ restarts: [NOW - 1], restartCeiling: 1 },
      },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
    {
      ...{ case: 'D13 with D29: maintenance is not allowed', wanted: '1.2.*', deployed: '1.2.5' },
      ...{ list: LIST, quarantine: FAILED, timing: { answer: 'not-allowed' as const } },
      told: 'rollback to 1.2.4: 1.2.5 failed on this machine; 1.2.4 instead: newest patch of 1.2',
    },
  ]);
});
