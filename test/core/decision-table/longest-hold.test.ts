import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { longestHoldEnd } from '../../../src/core/decision/longest-hold.ts';
import { decidesOn, moduleQuestion, openFrom, told } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const DUE = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.3', '1.2.5'] } as const;
const MAY = { by: 'arm', said: 'docking', isOverridable: true } as const;
const MUST = { by: 'arm', said: 'person in cell', isOverridable: false } as const;
const LATER = { longestHoldEnd: NOW + HOUR };
const OVER = { longestHoldEnd: NOW };
const HELD = 'upgrade to 1.2.5 waits';
const AT_ONE = 'until 2026-11-21T01:00:00Z';
const DUE_NOW = 'upgrade to 1.2.5: newest patch of 1.2';

describe('D79: the longest hold', () => {
  decidesOn([
    {
      case: 'D79 bounds a veto that may be overridden',
      ...DUE,
      timing: { ...LATER, vetoes: [MAY] },
      expected: `${HELD} ${AT_ONE}: arm must not be stopped now: docking (${AT_ONE} by longest_hold)`,
    },
    { case: 'D79 and ends it', ...DUE, timing: { ...OVER, vetoes: [MAY] }, expected: DUE_NOW },
    {
      case: 'D79 not a veto that may not be overridden',
      ...DUE,
      timing: { ...OVER, vetoes: [MAY, MUST] },
      expected: `${HELD}: arm must not be stopped now: person in cell`,
    },
    {
      case: 'D79 bounds what a busy server holds, and a false answer',
      ...DUE,
      timing: { ...LATER, isServerBusy: true, answer: 'not-allowed' },
      expected: `${HELD} ${AT_ONE}: maintenance is not allowed now (${AT_ONE} by longest_hold); the server is processing config changes (${AT_ONE} by longest_hold)`,
    },
    {
      case: 'D79 and ends both',
      ...DUE,
      timing: { ...OVER, isServerBusy: true, answer: 'not-allowed' },
      expected: DUE_NOW,
    },
    {
      case: 'D79 not an answer that forbids it, which names no end',
      ...DUE,
      timing: { ...OVER, answer: 'forbidden' },
      expected: `${HELD}: maintenance is not allowed now`,
    },
    {
      case: 'D79 with D29: not an agent that could not be asked',
      ...DUE,
      timing: { ...OVER, answer: 'failed' },
      expected: `${HELD}: the agent could not be asked whether maintenance is allowed`,
    },
    {
      case: 'D79 with D25: not a closed window',
      ...DUE,
      timing: { ...OVER, vetoes: [MAY], window: openFrom([NOW + HOUR, NOW + 2 * HOUR]) },
      expected: `${HELD} ${AT_ONE}: the maintenance window is closed ${AT_ONE}`,
    },
    {
      case: 'D79 with D75: not the hold of an operator',
      ...DUE,
      timing: {
        ...OVER,
        vetoes: [MAY],
        operatorHolds: [
          { of: 'target', by: 'ann', because: 'on stage', since: NOW - 1, until: NOW + HOUR },
        ],
      },
      expected: `${HELD} ${AT_ONE}: held by ann ${AT_ONE}: "on stage"`,
    },
    {
      case: 'D79 with D25: a window that is closed at its end is waited for',
      ...DUE,
      timing: {
        ...LATER,
        vetoes: [MAY],
        window: openFrom([NOW - HOUR, NOW + HOUR], [NOW + DAY, NOW + DAY + HOUR]),
      },
      expected: `${HELD} until 2026-11-22T00:00:00Z: arm must not be stopped now: docking (${AT_ONE} by longest_hold)`,
    },
  ]);

  it.each([
    ['a veto', { vetoes: [MAY] }],
    ['a busy server', { isServerBusy: true }],
    ['a false answer', { answer: 'not-allowed' as const }],
  ])('D79 and what happens at the end of %s is known', (_, held) => {
    const decision = decide(moduleQuestion({ ...DUE, timing: { ...LATER, ...held } }));
    const change = nextChange(decision);
    expect(change && describeChange(change)).toBe(
      '2026-11-21T01:00:00Z: upgrade to 1.2.5, as it has been held for longest_hold',
    );
    expect(change && told(change.becomes)).toBe(DUE_NOW);
  });

  const SINCE = { deployed: '1.2.3', since: 5, elapsedMs: 3 * HOUR, countedAt: NOW - HOUR };
  it.each([
    ['what passed since it was counted counts', SINCE, {}, NOW + 6 * HOUR],
    [
      'while no time is certain, it does not',
      SINCE,
      { clock: { kind: 'unsynchronized' as const } },
      NOW + 7 * HOUR,
    ],
  ])('D79 %s', (_, held, clock, expected) => {
    expect(longestHoldEnd(10 * HOUR, held, { now: NOW, ...clock })).toBe(expected);
  });
});
