import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { moduleQuestion, openFrom, type Situation } from '../../support/decided.ts';
import { aged, DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const WEEK_OLD = { minimumAge: { ms: 7 * DAY, unknown: 'refuse' } } as const;
const WANTED = { wanted: '1.2.*', deployed: '1.2.3' } as const;
const stale = { confirmedAt: NOW - DAY, message: 'down' };
const IN_ROLLOUT = {
  list: ['1.2.4', { version: '1.2.5', rollout: { salt: 's1', percent: 50, share: 0.5 } }],
  eligibility: { machineId: 'rover-7' },
};

describe('the next change', () => {
  it.each<[string, Situation, string | undefined]>([
    ['is undefined if nothing ends', { ...WANTED, list: ['1.2.3', '1.2.5'] }, undefined],
    [
      'a release reaches the minimum age',
      { ...WANTED, list: [aged('1.2.3', 9), aged('1.2.4', 5)], eligibility: WEEK_OLD },
      '2026-11-23T00:00:00Z: upgrade to 1.2.4, as a release reaches the minimum age',
    ],
    [
      'is the first of several',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), aged('1.2.6', 2), aged('1.2.4', 5), aged('1.2.5', 6)],
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.5, as a release reaches the minimum age',
    ],
    [
      'ignores a release older than the selected one',
      { ...WANTED, list: [aged('1.2.3', 9), aged('1.2.2', 5)], eligibility: WEEK_OLD },
      undefined,
    ],
    [
      'ignores a release that is refused for another reason',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), { ...aged('1.2.4', 5), yanked: '' }],
      },
      undefined,
    ],
    [
      'D51 the confirmation of the list ends, for a release in rollout',
      { ...IN_ROLLOUT, wanted: '1.2.*', deployed: '1.2.3', readAt: NOW - HOUR / 2 },
      '2026-11-21T00:30:00.001Z: upgrade to 1.2.4, as the list was not confirmed for an hour, which a release in rollout needs',
    ],
    [
      'D51 the same for a saved list',
      { ...IN_ROLLOUT, ...WANTED, stale: { confirmedAt: NOW - HOUR / 2, message: 'down' } },
      '2026-11-21T00:30:00.001Z: upgrade to 1.2.4, as the list was not confirmed for an hour, which a release in rollout needs',
    ],
    [
      'D51 is undefined for a deployed release in rollout',
      { ...IN_ROLLOUT, wanted: '1.2.*', deployed: '1.2.5', readAt: NOW },
      undefined,
    ],
    [
      'D51 is undefined for a pin to a release in rollout',
      { ...IN_ROLLOUT, wanted: '1.2.5', deployed: '1.2.3', readAt: NOW },
      undefined,
    ],
    [
      'D51 is undefined if the confirmation has ended',
      { ...IN_ROLLOUT, wanted: '1.2.*', deployed: '1.2.3', readAt: NOW - HOUR - 1 },
      undefined,
    ],
    [
      'is undefined for a pin, which has no minimum age',
      { wanted: '1.2.4', deployed: '1.2.3', list: [aged('1.2.4', 5)], eligibility: WEEK_OLD },
      undefined,
    ],
    [
      'a newer release replaces the held one',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        timing: { isServerBusy: true },
        list: [aged('1.2.4', 9), aged('1.2.5', 5)],
      },
      '2026-11-23T00:00:00Z: upgrade to 1.2.5 waits, as a release reaches the minimum age',
    ],
    [
      'with `notAfter`, a later release is published',
      { ...WANTED, eligibility: { notAfter: NOW }, list: [aged('1.2.3', 9), aged('1.2.4', -2)] },
      '2026-11-23T00:00:00Z: upgrade to 1.2.4, as a release is published',
    ],
    [
      'with `notAfter`, the first of two later releases is published',
      {
        ...WANTED,
        eligibility: { notAfter: NOW },
        list: [aged('1.2.3', 9), aged('1.2.4', -2), aged('1.2.5', -3)],
      },
      '2026-11-23T00:00:00Z: upgrade to 1.2.4, as a release is published',
    ],
    [
      'without `notAfter`, a later release does not have to be published',
      {
        ...WANTED,
        list: [aged('1.2.3', 9), aged('1.2.4', -9)],
        timing: { window: openFrom([NOW + HOUR, NOW + DAY]) },
      },
      '2026-11-21T01:00:00Z: upgrade to 1.2.4, as the maintenance window opens',
    ],
    [
      'another reason becomes the one for which nothing is decided',
      { wanted: '3.*', deployed: '1.2.3', list: ['1.2.3'], stale },
      '2026-11-27T00:00:00.001Z: stuck, as the saved list becomes too old',
    ],
    [
      '[D41] a release is of age while a requested restart is held, after what is kept changed',
      {
        ...WANTED,
        restartRequest: { requestedAt: NOW, isImmediate: false },
        timing: { window: openFrom([NOW + 2 * DAY, NOW + 3 * DAY]) },
        quarantine: [{ version: '1.2.3', until: NOW + HOUR }],
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), aged('1.2.4', 6)],
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.4 waits, as a release reaches the minimum age',
    ],
    [
      '[D37] after a failure, the reported version is published, which ends the recovery',
      {
        wanted: 'latest',
        deployed: '1.1.1',
        previous: '1.0.0',
        failed: '0.9.0',
        quarantine: [{ version: '0.9.0' }],
        eligibility: { notAfter: NOW },
        list: [aged('0.9.0', 9), aged('1.0.0', 9), aged('2.0.0', 9), aged('1.1.1', -2)],
      },
      '2026-11-23T00:00:00Z: upgrade to 2.0.0, as a release is published',
    ],
    [
      '[D34] a release that claims a later time has the minimum age a week after it was first seen',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), aged('1.2.4', -1500)],
        firstSeen: { since: NOW - 5 * DAY, added: new Map() },
      },
      '2026-11-23T00:00:00Z: upgrade to 1.2.4, as a release reaches the minimum age',
    ],
    [
      '[D34] and one that claims an early time, a week after the last list without it',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), aged('1.2.4', 700_000)],
        firstSeen: {
          since: NOW - 9 * DAY,
          added: new Map([['1.2.4', { after: NOW - 6 * DAY, at: NOW }]]),
        },
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.4, as a release reaches the minimum age',
    ],
    [
      'a quarantine ends',
      { ...WANTED, list: ['1.2.3', '1.2.4'], quarantine: [{ version: '1.2.4', until: NOW + 1 }] },
      '2026-11-21T00:00:00.001Z: upgrade to 1.2.4, as a quarantine ends',
    ],
    [
      'the quarantine of a pin ends',
      {
        wanted: '1.2.4',
        deployed: '1.2.3',
        list: ['1.2.4'],
        quarantine: [{ version: '1.2.4', until: NOW + DAY }],
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.4, as a quarantine ends',
    ],
    [
      'the quarantine of the deployed version ends, and no other release is eligible',
      { ...WANTED, list: ['1.2.3'], quarantine: [{ version: '1.2.3', until: NOW + DAY }] },
      '2026-11-22T00:00:00Z: up to date, as a quarantine ends',
    ],
    [
      'with `notAfter`, the previous version is published',
      {
        ...WANTED,
        eligibility: { notAfter: NOW },
        previous: '1.2.1',
        list: [aged('1.2.3', 9), aged('1.2.2', 9), aged('1.2.1', -1)],
        quarantine: [{ version: '1.2.3' }],
      },
      '2026-11-22T00:00:00Z: rollback to 1.2.1, as a release is published',
    ],
    [
      'the window opens',
      { ...WANTED, list: ['1.2.4'], timing: { window: openFrom([NOW + HOUR, NOW + DAY]) } },
      '2026-11-21T01:00:00Z: upgrade to 1.2.4, as the maintenance window opens',
    ],
    [
      'the window closes',
      { ...WANTED, list: ['1.2.4'], timing: { window: openFrom([NOW - HOUR, NOW + HOUR]) } },
      '2026-11-21T01:00:00Z: upgrade to 1.2.4 waits, as the maintenance window closes',
    ],
    [
      'ignores a closing window if the module is up to date',
      { ...WANTED, list: ['1.2.3'], timing: { window: openFrom([NOW - HOUR, NOW + HOUR]) } },
      undefined,
    ],
    [
      'ignores a closing window for a first install',
      {
        wanted: '1.2.*',
        deployed: null,
        list: ['1.2.3'],
        timing: { window: openFrom([NOW - HOUR, NOW + HOUR]) },
      },
      undefined,
    ],
    [
      'the cooldown ends',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW - 60_000] } },
      '2026-11-21T00:04:00Z: upgrade to 1.2.4, as the restart cooldown ends',
    ],
    [
      'the next window opens, because the cooldown outlasts this one',
      {
        ...WANTED,
        list: ['1.2.4'],
        timing: { restarts: [NOW], window: openFrom([NOW, NOW + 1], [NOW + DAY, NOW + 2 * DAY]) },
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.4, as the maintenance window opens',
    ],
    [
      'the restart ceiling allows another restart',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW - HOUR], restartCeiling: 1 } },
      '2026-11-21T23:00:00Z: upgrade to 1.2.4, as another restart is allowed',
    ],
    [
      'is undefined while the server is busy',
      { ...WANTED, list: ['1.2.4'], timing: { isServerBusy: true } },
      undefined,
    ],
    [
      'the saved list becomes too old',
      { ...WANTED, list: ['1.2.3'], stale },
      '2026-11-27T00:00:00.001Z: stuck, as the saved list becomes too old',
    ],
    [
      'is undefined after the saved list became too old',
      { ...WANTED, list: ['1.2.3'], stale: { ...stale, confirmedAt: 0 } },
      undefined,
    ],
    [
      'of two at the same time, the end of the hold is reported',
      {
        ...WANTED,
        list: ['1.2.4'],
        quarantine: [{ version: '9.9.9', until: NOW + HOUR }],
        timing: { window: openFrom([NOW + HOUR, NOW + DAY]) },
      },
      '2026-11-21T01:00:00Z: upgrade to 1.2.4, as the maintenance window opens',
    ],
    [
      'is undefined for a quarantine without an end',
      { ...WANTED, list: ['1.2.3', '1.2.4'], quarantine: [{ version: '1.2.4' }] },
      undefined,
    ],
    [
      'a restart that was recorded in the future begins to count for the cooldown',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW + 6 * 60_000] } },
      '2026-11-21T00:01:00Z: upgrade to 1.2.4 waits, as a restart that was recorded in the future begins to count',
    ],
    [
      'a restart that was recorded in the future begins to count for the ceiling',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW + 25 * HOUR], restartCeiling: 1 } },
      '2026-11-21T01:00:00Z: upgrade to 1.2.4 waits, as a restart that was recorded in the future begins to count',
    ],
    [
      'is undefined while the deployed version is unknown',
      { wanted: '1.2.*', deployed: undefined, list: ['1.2.4'] },
      undefined,
    ],
    [
      'is undefined without a release list',
      { ...WANTED, list: { error: { kind: 'registry-unreachable', message: 'down' } } },
      undefined,
    ],
  ])('%s', (_, situation, expected) => {
    const change = nextChange(decide(moduleQuestion(situation)));
    expect(change && describeChange(change)).toBe(expected);
  });
});
