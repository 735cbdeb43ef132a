import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { holdsInForce, type RecordedHold } from '../../../src/core/decision/operator-hold.ts';
import { formatTime } from '../../../src/core/text/rfc3339.ts';
import { decidesOn, moduleQuestion, openFrom, told } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const DUE = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.3', '1.2.5'] } as const;
const BY_ANN = {
  of: 'target',
  by: 'ann',
  because: 'on stage',
  since: NOW - 1,
  until: NOW + HOUR,
} as const;
const BY_BOB = {
  ...BY_ANN,
  of: 'machine',
  by: 'bob',
  because: 'fair',
  until: NOW + 2 * HOUR,
} as const;
const HELD = { operatorHolds: [BY_ANN] };
const WORDS = 'held by ann until 2026-11-21T01:00:00Z: "on stage"';

describe('D75: an operator holds', () => {
  decidesOn([
    {
      case: 'D75 an upgrade',
      ...DUE,
      timing: HELD,
      expected: `upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: ${WORDS}`,
    },
    {
      case: 'D75 a first install, which no window holds',
      ...DUE,
      deployed: null,
      timing: HELD,
      expected: `install of 1.2.5 waits until 2026-11-21T01:00:00Z: ${WORDS}`,
    },
    {
      case: 'D75 a downgrade',
      ...DUE,
      deployed: '2.0.0',
      timing: HELD,
      expected: `downgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: ${WORDS}`,
      warns: ['downgrade'],
    },
    {
      case: 'D75 a restart, even an immediate one',
      ...DUE,
      deployed: '1.2.5',
      timing: HELD,
      restartRequest: { requestedAt: NOW - HOUR, isImmediate: true },
      expected: `restart of 1.2.5 waits until 2026-11-21T01:00:00Z: ${WORDS}; an operator requested an immediate restart at 2026-11-20T23:00:00Z`,
    },
    {
      case: 'D75 nothing that is kept',
      ...DUE,
      deployed: '1.2.5',
      timing: HELD,
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D75 no rollback',
      ...DUE,
      deployed: '1.2.5',
      quarantine: [{ version: '1.2.5', until: undefined }],
      timing: HELD,
      expected:
        'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D75 with the hold of the machine: both are named, and the later end counts',
      ...DUE,
      timing: { operatorHolds: [BY_BOB, BY_ANN] },
      expected: `upgrade to 1.2.5 waits until 2026-11-21T02:00:00Z: the machine is held by bob until 2026-11-21T02:00:00Z: "fair"; ${WORDS}`,
    },
    {
      case: 'D75 with D25: a closed window is named too',
      ...DUE,
      timing: { ...HELD, window: openFrom([NOW + 3 * HOUR, NOW + 4 * HOUR]) },
      expected: `upgrade to 1.2.5 waits until 2026-11-21T03:00:00Z: ${WORDS}; the maintenance window is closed until 2026-11-21T03:00:00Z`,
    },
    {
      case: 'D75 without a certain end',
      ...DUE,
      timing: { operatorHolds: [{ ...BY_ANN, until: undefined, endsAt: NOW - HOUR }] },
      expected:
        'upgrade to 1.2.5 waits: held by ann until 2026-11-20T23:00:00Z, once that is certain: "on stage"',
    },
    {
      case: 'D75 not at its end any more',
      ...DUE,
      timing: { operatorHolds: [{ ...BY_ANN, until: NOW }] },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
  ]);

  it('D75 and what happens at its end is known', () => {
    const decision = decide(moduleQuestion({ ...DUE, timing: HELD }));
    const change = nextChange(decision);
    expect(change && describeChange(change)).toBe(
      '2026-11-21T01:00:00Z: upgrade to 1.2.5, as the hold of an operator ends',
    );
    expect(change && told(change.becomes)).toBe('upgrade to 1.2.5: newest patch of 1.2');
  });

  it('D75 also that of an immediate restart', () => {
    const restartRequest = { requestedAt: NOW, isImmediate: true };
    const timing = { ...HELD, window: openFrom() };
    const decision = decide(moduleQuestion({ ...DUE, timing, restartRequest }));
    const change = nextChange(decision);
    expect(change && describeChange(change)).toBe(
      '2026-11-21T01:00:00Z: restart of 1.2.3, as the hold of an operator ends',
    );
  });
});

const UNSYNCHRONIZED = { kind: 'unsynchronized', certainAt: undefined } as const;

describe('D75, T337: when a hold ends', () => {
  const HOLD: RecordedHold = {
    of: { kind: 'machine', name: '' },
    by: 'ann',
    because: 'fair',
    since: NOW,
    endsAt: undefined,
    longestMs: 12 * HOUR,
    elapsedMs: 0,
    countedAt: NOW,
  };
  const UNTIL = { endsAt: NOW + 12 * HOUR, longestMs: 30 * DAY };

  it.each<[string, Partial<RecordedHold>, Parameters<typeof holdsInForce>[1], string]>([
    ['a duration', {}, { now: NOW + HOUR }, '2026-11-21T12:00:00Z'],
    ['a duration that has passed', {}, { now: NOW + 12 * HOUR }, 'ended'],
    ['a duration while the clock is set back', {}, { now: NOW - DAY }, '2026-11-20T12:00:00Z'],
    [
      'a duration while no time is certain: what was counted counts',
      { elapsedMs: 2 * HOUR },
      { now: NOW + 5 * DAY, clock: UNSYNCHRONIZED },
      '2026-11-26T10:00:00Z',
    ],
    [
      'a duration that began while no time was certain',
      { countedAt: undefined },
      { now: NOW + 5 * DAY },
      '2026-11-26T12:00:00Z',
    ],
    ['a time', UNTIL, { now: NOW + HOUR }, '2026-11-21T12:00:00Z'],
    ['a time that has come', UNTIL, { now: NOW + 12 * HOUR }, 'ended'],
    [
      'a time that has not certainly come',
      UNTIL,
      { now: NOW + DAY, clock: UNSYNCHRONIZED },
      'not certain',
    ],
    [
      'a time that had come when time was last certain',
      UNTIL,
      { now: NOW, clock: { kind: 'unsynchronized', certainAt: NOW + 12 * HOUR } },
      'ended',
    ],
    [
      'a time by a clock that is an hour ahead',
      UNTIL,
      { now: NOW + 12 * HOUR, clock: { kind: 'wrong', aheadMs: HOUR } },
      '2026-11-21T13:00:00Z',
    ],
    [
      'a time that is never certain: after 30 days',
      { ...UNTIL, elapsedMs: 30 * DAY },
      { now: NOW, clock: UNSYNCHRONIZED },
      'ended',
    ],
  ])('%s', (_, more, reading, expected) => {
    const [held] = holdsInForce([{ ...HOLD, ...more }], reading);
    const until = held && (held.until === undefined ? 'not certain' : formatTime(held.until));
    expect(until ?? 'ended').toBe(expected);
  });
});
