import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { moduleQuestion, openFrom, type Situation } from '../../support/decided.ts';
import { aged, DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const WEEK_OLD = { minimumAge: { ms: 7 * DAY, unknown: 'refuse' } } as const;
const WANTED = { wanted: '1.2.*', deployed: '1.2.3' } as const;
const stale = { confirmedAt: NOW - DAY, message: 'down' };

describe('the next change', () => {
  it.each<[string, Situation, string | undefined]>([
    ['none, as nothing is to come', { ...WANTED, list: ['1.2.3', '1.2.5'] }, undefined],
    [
      'a release reaches the minimum age',
      { ...WANTED, list: [aged('1.2.3', 9), aged('1.2.4', 5)], eligibility: WEEK_OLD },
      '2026-11-23T00:00:00Z: upgrade to 1.2.4, as a release reaches the minimum age',
    ],
    [
      'the first of several',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), aged('1.2.6', 2), aged('1.2.4', 5), aged('1.2.5', 6)],
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.5, as a release reaches the minimum age',
    ],
    [
      'not one that is older than what is meant',
      { ...WANTED, list: [aged('1.2.3', 9), aged('1.2.2', 5)], eligibility: WEEK_OLD },
      undefined,
    ],
    [
      'not one that is refused for another reason',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        list: [aged('1.2.3', 9), { ...aged('1.2.4', 5), yanked: '' }],
      },
      undefined,
    ],
    [
      'a pin has no minimum age',
      { wanted: '1.2.4', deployed: '1.2.3', list: [aged('1.2.4', 5)], eligibility: WEEK_OLD },
      undefined,
    ],
    [
      'another target comes while the first is held',
      {
        ...WANTED,
        eligibility: WEEK_OLD,
        timing: { isServerBusy: true },
        list: [aged('1.2.4', 9), aged('1.2.5', 5)],
      },
      '2026-11-23T00:00:00Z: hold of the upgrade to 1.2.5, as a release reaches the minimum age',
    ],
    [
      'asked as of a time, what was published later comes',
      { ...WANTED, eligibility: { notAfter: NOW }, list: [aged('1.2.3', 9), aged('1.2.4', -2)] },
      '2026-11-23T00:00:00Z: upgrade to 1.2.4, as a release is published',
    ],
    [
      'a quarantine ends',
      { ...WANTED, list: ['1.2.3', '1.2.4'], quarantine: [{ version: '1.2.4', until: NOW + 1 }] },
      '2026-11-21T00:00:00.001Z: upgrade to 1.2.4, as a quarantine ends',
    ],
    [
      'that of a pin',
      {
        wanted: '1.2.4',
        deployed: '1.2.3',
        list: ['1.2.4'],
        quarantine: [{ version: '1.2.4', until: NOW + DAY }],
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.4, as a quarantine ends',
    ],
    [
      'that of what runs, and nothing else may be chosen',
      { ...WANTED, list: ['1.2.3'], quarantine: [{ version: '1.2.3', until: NOW + DAY }] },
      '2026-11-22T00:00:00Z: up-to-date, as a quarantine ends',
    ],
    [
      'what ran before is published, asked as of a time',
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
      'the window closes before it is done',
      { ...WANTED, list: ['1.2.4'], timing: { window: openFrom([NOW - HOUR, NOW + HOUR]) } },
      '2026-11-21T01:00:00Z: hold of the upgrade to 1.2.4, as the maintenance window closes',
    ],
    [
      'a window that closes says nothing of what is up to date',
      { ...WANTED, list: ['1.2.3'], timing: { window: openFrom([NOW - HOUR, NOW + HOUR]) } },
      undefined,
    ],
    [
      'nor of a first install',
      {
        wanted: '1.2.*',
        deployed: null,
        list: ['1.2.3'],
        timing: { window: openFrom([NOW - HOUR, NOW + HOUR]) },
      },
      undefined,
    ],
    [
      'the rest is over',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW - 60_000] } },
      '2026-11-21T00:04:00Z: upgrade to 1.2.4, as the restart cooldown ends',
    ],
    [
      'a rest that outlasts the window',
      {
        ...WANTED,
        list: ['1.2.4'],
        timing: { restarts: [NOW], window: openFrom([NOW, NOW + 1], [NOW + DAY, NOW + 2 * DAY]) },
      },
      '2026-11-22T00:00:00Z: upgrade to 1.2.4, as the maintenance window opens',
    ],
    [
      'another restart may be made',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW - HOUR], restartCeiling: 1 } },
      '2026-11-21T23:00:00Z: upgrade to 1.2.4, as another restart is allowed',
    ],
    [
      'nobody knows when the server is done',
      { ...WANTED, list: ['1.2.4'], timing: { isServerBusy: true } },
      undefined,
    ],
    [
      'the saved list becomes too old',
      { ...WANTED, list: ['1.2.3'], stale },
      '2026-11-27T00:00:00.001Z: stuck, as the saved list becomes too old',
    ],
    [
      'nothing more, once it is too old',
      { ...WANTED, list: ['1.2.3'], stale: { ...stale, confirmedAt: 0 } },
      undefined,
    ],
    [
      'of two at one time, what the decision waits for is told',
      {
        ...WANTED,
        list: ['1.2.4'],
        quarantine: [{ version: '9.9.9', until: NOW + HOUR }],
        timing: { window: openFrom([NOW + HOUR, NOW + DAY]) },
      },
      '2026-11-21T01:00:00Z: upgrade to 1.2.4, as the maintenance window opens',
    ],
    [
      'a quarantine without an end has none',
      { ...WANTED, list: ['1.2.3', '1.2.4'], quarantine: [{ version: '1.2.4' }] },
      undefined,
    ],
    [
      'a restart that was noted ahead of the clock',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW + 6 * 60_000] } },
      '2026-11-21T00:01:00Z: hold of the upgrade to 1.2.4, as a restart that was recorded in the future begins to count',
    ],
    [
      'the ceiling, by a restart that was noted ahead of the clock',
      { ...WANTED, list: ['1.2.4'], timing: { restarts: [NOW + 25 * HOUR], restartCeiling: 1 } },
      '2026-11-21T01:00:00Z: hold of the upgrade to 1.2.4, as a restart that was recorded in the future begins to count',
    ],
    [
      'none while it is not known what runs',
      { wanted: '1.2.*', deployed: undefined, list: ['1.2.4'] },
      undefined,
    ],
    [
      'none without a list',
      { ...WANTED, list: { error: { kind: 'registry-unreachable', message: 'down' } } },
      undefined,
    ],
  ])('%s', (_, situation, expected) => {
    const change = nextChange(decide(moduleQuestion(situation)));
    expect(change && describeChange(change)).toBe(expected);
  });
});
