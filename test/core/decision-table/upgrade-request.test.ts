import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import type { Timing } from '../../../src/core/decision/timing-policies.ts';
import { decidesOn, moduleQuestion, openFrom, told } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const MINUTE = HOUR / 60;
const DUE = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.3', '1.2.5'] } as const;
const REQUEST = {
  requestedAt: NOW - MINUTE,
  by: 'ann',
  because: undefined,
  from: '1.2.3',
  to: '1.2.5',
  despite: [],
};
const CLOSED = { window: openFrom([NOW + 2 * HOUR, NOW + 3 * HOUR]) };
const SHUT = 'the maintenance window is closed until 2026-11-21T02:00:00Z';
const SAID = { by: 'arm', said: 'person in cell', isOverridable: false };
const NAMED = { ...REQUEST, despite: [{ by: 'arm', said: 'person in cell' }] };
const HOLD = { of: 'target', by: 'bob', because: 'fair', since: NOW - 1 } as const;
const AT_ONCE = 'requested at once by ann at 2026-11-20T23:59:00Z';
const UPGRADE = `upgrade to 1.2.5: newest patch of 1.2; ${AT_ONCE}`;

describe('D76: a replacement that an operator requested at once', () => {
  it.each<[string, Partial<Timing>]>([
    ['a closed window', CLOSED],
    ['a blackout', { blackouts: [{ from: NOW - 1, until: NOW + DAY, timeZone: 'UTC' }] }],
    ['the cooldown', { restarts: [NOW - MINUTE] }],
    ['the ceiling', { restarts: [NOW - 5 * HOUR], restartCeiling: 1 }],
    ['a server that processes changes', { isServerBusy: true }],
    ['an answer that does not allow maintenance', { answer: 'not-allowed' }],
    ['no answer', { answer: 'missing' }],
    ['an answer that says neither', { answer: 'not-a-boolean' }],
    ['all of them', { ...CLOSED, answer: 'not-allowed', isServerBusy: true, restarts: [NOW] }],
  ])('D76 passes %s', (_, timing) => {
    const situation = { ...DUE, timing };
    expect(decide(moduleQuestion(situation)).kind).toBe('hold');
    expect(told(decide(moduleQuestion({ ...situation, upgradeRequest: REQUEST })))).toBe(UPGRADE);
  });

  decidesOn([
    {
      case: 'D76 with D75: the hold of an operator holds it, and nothing else',
      ...DUE,
      timing: { ...CLOSED, operatorHolds: [{ ...HOLD, until: NOW + MINUTE }] },
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.5 waits until 2026-11-21T00:01:00Z: held by bob until 2026-11-21T00:01:00Z: "fair"; ${AT_ONCE}`,
    },
    {
      case: 'D76 with D75: a hold that lasts longer than the request ends when the window is open',
      ...DUE,
      timing: { ...CLOSED, operatorHolds: [{ ...HOLD, until: NOW + HOUR }] },
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.5 waits until 2026-11-21T02:00:00Z: held by bob until 2026-11-21T01:00:00Z: "fair"; ${AT_ONCE}`,
    },
    {
      case: 'D76 with D77: a veto that the operator did not name holds it',
      ...DUE,
      timing: { ...CLOSED, vetoes: [SAID] },
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.5 waits: arm must not be stopped now: person in cell; ${AT_ONCE}`,
    },
    {
      case: 'D76 with D77: it passes one that the operator named, although it may not be overridden',
      ...DUE,
      timing: { ...CLOSED, vetoes: [SAID] },
      upgradeRequest: { ...NAMED, because: 'fire' },
      expected: `${UPGRADE}, despite "person in cell": "fire"`,
    },
    {
      case: 'D76 with D77: another reason of the same module holds it',
      ...DUE,
      timing: { vetoes: [{ ...SAID, said: 'docking' }] },
      upgradeRequest: NAMED,
      expected: `upgrade to 1.2.5 waits: arm must not be stopped now: docking; ${AT_ONCE}, despite "person in cell"`,
    },
    {
      case: 'D76 with D77: the same reason of another module holds it',
      ...DUE,
      timing: { vetoes: [SAID, { ...SAID, by: 'gripper' }] },
      upgradeRequest: NAMED,
      expected: `upgrade to 1.2.5 waits: gripper must not be stopped now: person in cell; ${AT_ONCE}, despite "person in cell"`,
    },
    {
      case: 'D76 with D77: a veto without a reason is named by its module',
      ...DUE,
      timing: { vetoes: [{ ...SAID, said: undefined }] },
      upgradeRequest: { ...REQUEST, despite: [{ by: 'arm', said: undefined }] },
      expected: `${UPGRADE}, despite "arm"`,
    },
    {
      case: 'D76 with D29: an agent that cannot be asked holds it, because nobody knows the vetoes',
      ...DUE,
      timing: { ...CLOSED, answer: 'timed-out' },
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.5 waits: the agent took too long to answer whether maintenance is allowed; ${AT_ONCE}`,
    },
    {
      case: 'D76 with D18: it is no permission for a downgrade',
      ...DUE,
      deployed: '2.0.0',
      allowDowngrade: false,
      upgradeRequest: { ...REQUEST, from: '2.0.0' },
      expected: `downgrade to 1.2.5 waits: the policy does not allow downgrades; ${AT_ONCE}`,
      warns: ['downgrade'],
    },
    {
      case: 'D76 a first install',
      ...DUE,
      deployed: null,
      timing: { isServerBusy: true },
      upgradeRequest: { ...REQUEST, from: undefined },
      expected: `install of 1.2.5: not deployed yet; newest patch of 1.2; ${AT_ONCE}`,
    },
    {
      case: 'D76 another release that is selected meanwhile is held',
      ...DUE,
      list: ['1.2.3', '1.2.5', '1.2.6'],
      timing: CLOSED,
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.6 waits until 2026-11-21T02:00:00Z: ${SHUT}`,
    },
    {
      case: 'D76 and so is a release that was yanked, for the one that is selected instead',
      ...DUE,
      list: ['1.2.3', '1.2.4', { version: '1.2.5', yanked: 'burns' }],
      timing: CLOSED,
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.4 waits until 2026-11-21T02:00:00Z: ${SHUT}; 1.2.5 is yanked: burns`,
    },
    {
      case: 'D76 from another version it is another replacement',
      ...DUE,
      deployed: '1.2.4',
      timing: CLOSED,
      upgradeRequest: REQUEST,
      expected: `upgrade to 1.2.5 waits until 2026-11-21T02:00:00Z: ${SHUT}`,
    },
    {
      case: 'D76 it lasts an hour',
      ...DUE,
      timing: CLOSED,
      upgradeRequest: { ...REQUEST, requestedAt: NOW - HOUR },
      expected: `upgrade to 1.2.5 waits until 2026-11-21T02:00:00Z: ${SHUT}`,
    },
    {
      case: 'D76 one that a wrong clock recorded in the future is none',
      ...DUE,
      timing: CLOSED,
      upgradeRequest: { ...REQUEST, requestedAt: NOW + HOUR },
      expected: `upgrade to 1.2.5 waits until 2026-11-21T02:00:00Z: ${SHUT}`,
    },
  ]);

  it('D76 and the end of the request is known', () => {
    const decision = decide(moduleQuestion({ ...DUE, timing: CLOSED, upgradeRequest: REQUEST }));
    const change = nextChange(decision);
    expect(change && describeChange(change)).toBe(
      '2026-11-21T00:59:00Z: upgrade to 1.2.5 waits, as the request of an operator ends',
    );
  });

  it.each([
    [
      'a window that opens meanwhile and closes after that',
      { window: openFrom([NOW + 30 * MINUTE, NOW + 2 * HOUR]) },
      '2026-11-21T02:00:00Z: upgrade to 1.2.5 waits, as the maintenance window closes',
    ],
    [
      'a blackout that begins after that',
      {
        blackouts: [
          { from: NOW + MINUTE, until: NOW + 2 * MINUTE, timeZone: 'UTC' },
          { from: NOW + 3 * HOUR, until: NOW + 4 * HOUR, timeZone: 'UTC' },
        ],
      },
      '2026-11-21T03:00:00Z: upgrade to 1.2.5 waits, as a blackout begins',
    ],
  ])('D76 and %s is known', (_title, timing, expected) => {
    const decision = decide(moduleQuestion({ ...DUE, timing, upgradeRequest: REQUEST }));
    const change = nextChange(decision);
    expect(change && describeChange(change)).toBe(expected);
  });
});
