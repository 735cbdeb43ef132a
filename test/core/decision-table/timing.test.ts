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
      case: 'D25 the window is closed: held until it opens',
      ...DUE,
      timing: { window },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z',
    },
    {
      case: 'D25 the window is open: upgrade',
      ...DUE,
      timing: { window: openFrom([NOW, NOW + 1]) },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 the last window has just closed: held without an end',
      ...DUE,
      timing: { window: openFrom([NOW - HOUR, NOW]) },
      expected: 'upgrade to 1.2.5 waits: the maintenance window is closed and does not open again',
    },
    {
      case: 'D25 with D14: a closed window does not hold a first install',
      ...INSTALL,
      timing: { window },
      expected: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D25 the window is closed and the module is up to date: no hold',
      ...DUE,
      timing: { window },
      deployed: '1.2.5',
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D25 a closed window holds a downgrade',
      ...DUE,
      deployed: '2.0.0',
      timing: { window },
      expected:
        'downgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z',
      warns: ['downgrade'],
    },
  ]);
});

describe('D25: server busy, cooldown, restart ceiling', () => {
  decidesOn([
    {
      case: 'D25 the server is busy during a cooldown: held without a known end',
      ...DUE,
      timing: { isServerBusy: true, restarts: [NOW - MINUTE] },
      expected:
        'upgrade to 1.2.5 waits: the server is processing config changes; cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 the server is busy: held without a known end',
      ...DUE,
      timing: { isServerBusy: true },
      expected: 'upgrade to 1.2.5 waits: the server is processing config changes',
    },
    {
      case: 'D25 with D14: a busy server holds a first install',
      ...INSTALL,
      timing: { isServerBusy: true },
      expected: 'install of 1.2.5 waits: the server is processing config changes',
    },
    {
      case: 'D25 one minute after a restart: held until the cooldown ends',
      ...DUE,
      timing: { restarts: [NOW - DAY, NOW - MINUTE] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T00:04:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 the cooldown has ended: upgrade',
      ...DUE,
      timing: { restarts: [NOW - 5 * MINUTE, NOW - DAY] },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 with D14: the cooldown holds an install after a restart',
      ...INSTALL,
      timing: { restarts: [NOW - MINUTE] },
      expected:
        'install of 1.2.5 waits until 2026-11-21T00:04:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 a restart one minute in the future counts for the cooldown',
      ...DUE,
      timing: { restarts: [NOW + MINUTE] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T00:06:00Z: cooling down after a restart until 2026-11-21T00:06:00Z',
    },
    {
      case: 'D25 with D27: a busy server holds a pin_url',
      deployed: '1.2.3',
      wanted: { kind: 'pin-url' as const, url: 'https://b.example/x', shadowed: undefined },
      timing: { isServerBusy: true },
      expected: 'upgrade to https://b.example/x waits: the server is processing config changes',
      warns: ['unverified-download'],
    },
    {
      case: 'D25 with D18: a downgrade that is not allowed is held without an end, although a window will open',
      ...DUE,
      deployed: '2.0.0',
      allowDowngrade: false,
      timing: { window: openFrom([NOW + HOUR, NOW + DAY]) },
      expected: 'downgrade to 1.2.5 waits: the policy does not allow downgrades',
      warns: ['downgrade'],
    },
    {
      case: 'D25 a restart exactly one cooldown in the future counts',
      ...DUE,
      timing: { restarts: [NOW + 5 * MINUTE] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T00:10:00Z: cooling down after a restart until 2026-11-21T00:10:00Z',
    },
    {
      case: 'D25 a restart one hour in the future counts for the ceiling',
      ...DUE,
      timing: { restarts: [NOW + HOUR], restartCeiling: 1 },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-22T01:00:00Z: no more restarts until 2026-11-22T01:00:00Z: 1 restarts in 24 h',
    },
    {
      case: 'D25 a restart exactly one day in the future counts for the ceiling',
      ...DUE,
      timing: { restarts: [NOW + DAY], restartCeiling: 1 },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-23T00:00:00Z: no more restarts until 2026-11-23T00:00:00Z: 1 restarts in 24 h',
    },
    {
      case: 'D25 the end of a hold includes restarts that were recorded in the future',
      ...DUE,
      timing: { restarts: [NOW - MINUTE, NOW + 7 * MINUTE] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T00:12:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 restarts ten years in the future are ignored: upgrade',
      ...DUE,
      timing: { restarts: Array.from({ length: 12 }, () => NOW + 3653 * DAY) },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 at the restart ceiling: held until the first restarts are a day old (I15)',
      ...DUE,
      timing: { restarts: [NOW - 2 * HOUR, NOW - 3 * HOUR, NOW - HOUR], restartCeiling: 2 },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T22:00:00Z: no more restarts until 2026-11-21T22:00:00Z: 3 restarts in 24 h',
    },
    {
      case: 'D25 a restart one day ago does not count for the ceiling: upgrade',
      ...DUE,
      timing: { restarts: [NOW - DAY, NOW - HOUR], restartCeiling: 2 },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D25 several reasons hold: all are named, and the latest end counts',
      ...DUE,
      timing: { window: openFrom([NOW + HOUR, NOW + 2 * HOUR]), restarts: [NOW - MINUTE] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z; cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 the cooldown outlasts the window: held until the next window',
      ...DUE,
      timing: {
        window: openFrom([NOW, NOW + MINUTE], [NOW + DAY, NOW + DAY + HOUR]),
        restarts: [NOW - MINUTE],
      },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-22T00:00:00Z: cooling down after a restart until 2026-11-21T00:04:00Z',
    },
    {
      case: 'D25 a closed window and a busy server: held without a known end',
      ...DUE,
      timing: { window: openFrom([NOW + HOUR, NOW + DAY]), isServerBusy: true },
      expected:
        'upgrade to 1.2.5 waits: the maintenance window is closed until 2026-11-21T01:00:00Z; the server is processing config changes',
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
    {
      case: 'D29 neither window nor answer: upgrade',
      ...DUE,
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D29 only an answer, which allows it: upgrade',
      ...DUE,
      timing: { answer: 'allowed' as const },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D29 window and answer allow it: upgrade',
      ...DUE,
      timing: { window: open, answer: 'allowed' as const },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D29 the answer allows it, the window is closed: held',
      ...DUE,
      timing: { window: closed, answer: 'allowed' as const },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: the maintenance window is closed until 2026-11-21T01:00:00Z',
    },
    {
      case: 'D29 with D14: an answer that does not allow maintenance does not hold a first install',
      ...INSTALL,
      timing: { answer: 'not-allowed' as const },
      expected: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
  ]);

  it.each(Object.entries(WORDS))('D29 the answer %s holds an upgrade', (answer, reason) => {
    const timing = { window: open, answer: answer as keyof typeof WORDS };
    const decision = decide(moduleQuestion({ ...DUE, timing }));
    expect(told(decision)).toBe(`upgrade to 1.2.5 waits: ${reason}`);
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

describe('D77: what would stop does not allow it', () => {
  const docking = { by: 'acme_arm', said: 'docking\u001b[31m', isOverridable: true };
  const silent = { by: 'acme_base', said: undefined, isOverridable: false };
  decidesOn([
    {
      case: 'D77 all vetoes are named, with their reasons',
      ...DUE,
      timing: { vetoes: [docking, silent] },
      expected:
        'upgrade to 1.2.5 waits: acme_arm must not be stopped now: docking\\u{1b}[31m; acme_base must not be stopped now',
    },
    {
      case: 'D77 with D14: a veto does not hold a first install, which stops nothing',
      ...INSTALL,
      timing: { vetoes: [docking] },
      expected: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D77 no veto: upgrade',
      ...DUE,
      timing: { vetoes: [] },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
  ]);
});
