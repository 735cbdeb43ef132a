import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { readMaintenanceAnswer } from '../../../src/core/decision/timing-policies.ts';
import { decidesOn, moduleQuestion, openFrom, told } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const MINUTE = HOUR / 60;
const DUE = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.5'] } as const;
const INSTALL = { ...DUE, deployed: null };

describe('D25: the maintenance window', () => {
  const window = openFrom([NOW - DAY, NOW - HOUR], [NOW + HOUR, NOW + 2 * HOUR]);
  decidesOn([
    {
      case: 'D25 closed: until it opens',
      ...DUE,
      timing: { window },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z',
    },
    {
      case: 'D25 open: due',
      ...DUE,
      timing: { window: openFrom([NOW, NOW + 1]) },
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 just closed',
      ...DUE,
      timing: { window: openFrom([NOW - HOUR, NOW]) },
      told: 'hold of the upgrade to 1.2.5: the maintenance window is closed and does not open again',
    },
    {
      case: 'D25 with D14: it does not hold a first install',
      ...INSTALL,
      timing: { window },
      told: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D25 it holds no module that is up to date',
      ...DUE,
      timing: { window },
      deployed: '1.2.5',
      told: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D25 it holds a downgrade',
      ...DUE,
      deployed: '2.0.0',
      timing: { window },
      told: 'hold of the downgrade to 1.2.5 until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z',
      warns: ['downgrade'],
    },
  ]);
});

describe('D25: busy, resting, at the ceiling', () => {
  decidesOn([
    {
      case: 'D25 the server is busy',
      ...DUE,
      timing: { isServerBusy: true },
      told: 'hold of the upgrade to 1.2.5: the server is processing config changes',
    },
    {
      case: 'D25 with D14: a busy server installs nothing',
      ...INSTALL,
      timing: { isServerBusy: true },
      told: 'hold of the install of 1.2.5: the server is processing config changes',
    },
    {
      case: 'D25 resting',
      ...DUE,
      timing: { restarts: [NOW - DAY, NOW - MINUTE] },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T00:04:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 rested',
      ...DUE,
      timing: { restarts: [NOW - 5 * MINUTE, NOW - DAY] },
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 with D14: an install after restarts rests too',
      ...INSTALL,
      timing: { restarts: [NOW - MINUTE] },
      told: 'hold of the install of 1.2.5 until 2026-11-21T00:04:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 a clock that was set back a little',
      ...DUE,
      timing: { restarts: [NOW + MINUTE] },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T00:06:00Z: cooling down after a restart until 2026-11-21T00:06:00Z',
    },
    {
      case: 'D25 with D27: a pin_url waits too',
      deployed: '1.2.3',
      wanted: { kind: 'pin-url' as const, url: 'https://b.example/x', shadowed: undefined },
      timing: { isServerBusy: true },
      told: 'hold of the upgrade to https://b.example/x: the server is processing config changes',
    },
    {
      case: 'D25 with D18: what is never allowed has no end',
      ...DUE,
      deployed: '2.0.0',
      allowDowngrade: false,
      timing: { window: openFrom([NOW + HOUR, NOW + DAY]) },
      told: 'hold of the downgrade to 1.2.5: the policy does not allow downgrades',
      warns: ['downgrade'],
    },
    {
      case: 'D25 a clock that was set back by the rest',
      ...DUE,
      timing: { restarts: [NOW + 5 * MINUTE] },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T00:10:00Z: cooling down after a restart until 2026-11-21T00:10:00Z',
    },
    {
      case: 'D25 the ceiling, and a clock that was set back',
      ...DUE,
      timing: { restarts: [NOW + HOUR], restartCeiling: 1 },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-22T01:00:00Z: no more restarts until 2026-11-22T01:00:00Z: 1 in 24 h',
    },
    {
      case: 'D25 the ceiling, and a clock that was set back by a day',
      ...DUE,
      timing: { restarts: [NOW + DAY], restartCeiling: 1 },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-23T00:00:00Z: no more restarts until 2026-11-23T00:00:00Z: 1 in 24 h',
    },
    {
      case: 'D25 a hold counts restarts that were noted ahead',
      ...DUE,
      timing: { restarts: [NOW - MINUTE, NOW + 7 * MINUTE] },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T00:12:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 a clock that was ten years ahead',
      ...DUE,
      timing: { restarts: Array.from({ length: 12 }, () => NOW + 3653 * DAY) },
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 the ceiling (I15)',
      ...DUE,
      timing: { restarts: [NOW - 2 * HOUR, NOW - 3 * HOUR, NOW - HOUR], restartCeiling: 2 },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T22:00:00Z: no more restarts until 2026-11-21T22:00:00Z: 3 in 24 h',
    },
    {
      case: 'D25 the day is over',
      ...DUE,
      timing: { restarts: [NOW - DAY, NOW - HOUR], restartCeiling: 2 },
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 several: all are told, and the latest end counts',
      ...DUE,
      timing: { window: openFrom([NOW + HOUR, NOW + 2 * HOUR]), restarts: [NOW - MINUTE] },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z; cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 a rest that outlasts the window waits for the next',
      ...DUE,
      timing: {
        window: openFrom([NOW, NOW + MINUTE], [NOW + DAY, NOW + DAY + HOUR]),
        restarts: [NOW - MINUTE],
      },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-22T00:00:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 a window and a busy server: no end is known',
      ...DUE,
      timing: { window: openFrom([NOW + HOUR, NOW + DAY]), isServerBusy: true },
      told: 'hold of the upgrade to 1.2.5: the maintenance window is closed until 2026-11-21T01:00:00Z; the server is processing config changes',
    },
  ]);
});

const WORDS = {
  'not-allowed': 'maintenance is not allowed now',
  missing: 'the agent gave no answer when asked whether maintenance is allowed',
  failed: 'the agent could not be asked whether maintenance is allowed',
  'timed-out': 'the agent took too long to answer whether maintenance is allowed',
  'not-a-boolean':
    'the agent answered neither true nor false when asked whether maintenance is allowed',
} as const;

describe('D29: window and answer', () => {
  const open = openFrom([NOW - HOUR, NOW + HOUR]);
  const closed = openFrom([NOW + HOUR, NOW + DAY]);
  decidesOn([
    { case: 'D29 neither: allowed', ...DUE, told: 'upgrade to 1.2.5: newest patch of 1.2' },
    {
      case: 'D29 the answer alone: allowed',
      ...DUE,
      timing: { answer: 'allowed' as const },
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D29 both allow',
      ...DUE,
      timing: { window: open, answer: 'allowed' as const },
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D29 the window does not',
      ...DUE,
      timing: { window: closed, answer: 'allowed' as const },
      told: 'hold of the upgrade to 1.2.5 until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z',
    },
    {
      case: 'D29 with D14: it does not hold a first install',
      ...INSTALL,
      timing: { answer: 'not-allowed' as const },
      told: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
  ]);

  it.each(Object.entries(WORDS))('D29 the answer does not: %s', (answer, reason) => {
    const timing = { window: open, answer: answer as keyof typeof WORDS };
    const decision = decide(moduleQuestion({ ...DUE, timing }));
    expect(told(decision)).toBe(`hold of the upgrade to 1.2.5: ${reason}`);
  });

  it.each([
    [true, 'allowed'],
    [false, 'not-allowed'],
    [undefined, 'missing'],
    [null, 'missing'],
    ['true', 'not-a-boolean'],
    [1, 'not-a-boolean'],
    [{}, 'not-a-boolean'],
  ])('D29 the answer %o reads as %s', (answered, read) => {
    expect(readMaintenanceAnswer(answered)).toBe(read);
  });
});
