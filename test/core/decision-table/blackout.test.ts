import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import type { Blackout } from '../../../src/core/decision/timing-policies.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import {
  decidesOn,
  moduleQuestion,
  openFrom,
  told,
  type Situation,
} from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const DUE = { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.5'] } as const;
const CURRENT = { ...DUE, deployed: '1.2.5' };
const ASKED = { requestedAt: NOW - HOUR, isImmediate: false };

/** From and until, in hours from now. */
function blackout(from: number, until: number, reason?: string): Blackout {
  return { from: NOW + from * HOUR, until: NOW + until * HOUR, timeZone: 'UTC', reason };
}

const SEASON = [blackout(-1, 48, 'season')];
const UNTIL = 'no maintenance until 2026-11-23T00:00:00Z (blackout: season)';

describe('D74: a blackout', () => {
  decidesOn([
    {
      case: 'D74 holds an upgrade, without a window',
      ...DUE,
      timing: { blackouts: SEASON },
      expected: `upgrade to 1.2.5 waits until 2026-11-23T00:00:00Z: ${UNTIL}`,
    },
    {
      case: 'D74 holds an upgrade in an open window',
      ...DUE,
      timing: { window: openFrom([NOW - HOUR, NOW + 3 * DAY]), blackouts: SEASON },
      expected: `upgrade to 1.2.5 waits until 2026-11-23T00:00:00Z: ${UNTIL}`,
    },
    {
      case: 'D74 and a closed window: held until a window is open after the blackout',
      ...DUE,
      timing: {
        window: openFrom([NOW + DAY, NOW + DAY + HOUR], [NOW + 3 * DAY, NOW + 4 * DAY]),
        blackouts: SEASON,
      },
      expected: `upgrade to 1.2.5 waits until 2026-11-24T00:00:00Z: ${UNTIL}; the maintenance window is closed until 2026-11-22T00:00:00Z`,
    },
    {
      case: 'D74 each opening of the window is in a blackout: held until the last blackout ends',
      ...DUE,
      timing: {
        window: openFrom([NOW + DAY, NOW + DAY + HOUR], [NOW + 2 * DAY, NOW + 3 * DAY]),
        blackouts: [blackout(23, 26), blackout(47, 50)],
      },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-23T02:00:00Z: the maintenance window is closed until 2026-11-22T00:00:00Z',
    },
    {
      case: 'D74 without a reason',
      ...DUE,
      timing: { blackouts: [blackout(-1, 1)] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: no maintenance until 2026-11-21T01:00:00Z (blackout)',
    },
    {
      case: 'D74 begins at its first millisecond',
      ...DUE,
      timing: { blackouts: [blackout(0, 1, 'trade fair')] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: no maintenance until 2026-11-21T01:00:00Z (blackout: trade fair)',
    },
    {
      case: 'D74 does not hold at its end',
      ...DUE,
      timing: { blackouts: [blackout(-1, 0, 'season')] },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D74 does not hold before it begins',
      ...DUE,
      timing: { blackouts: [blackout(1, 2, 'season')] },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D74 that its time zone skipped does not hold [T335]',
      ...DUE,
      timing: { blackouts: [blackout(0, 0, 'season')] },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D74 that overlaps others, or follows them without a gap, is one with them',
      ...DUE,
      timing: {
        blackouts: [
          blackout(30, 31, 'too late'),
          blackout(20, 24, 'season'),
          blackout(5, 20, 'inventory'),
          blackout(-1, 6, 'season'),
          blackout(-2, 3, 'shorter'),
        ],
      },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-22T00:00:00Z: no maintenance until 2026-11-22T00:00:00Z (blackout: season, inventory)',
    },
    {
      case: 'D74 holds a downgrade',
      ...DUE,
      deployed: '2.0.0',
      timing: { blackouts: SEASON },
      expected: `downgrade to 1.2.5 waits until 2026-11-23T00:00:00Z: ${UNTIL}`,
      warns: ['downgrade'],
    },
    {
      case: 'D74 does not hold a first install',
      ...DUE,
      deployed: null,
      timing: { blackouts: SEASON },
      expected: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D74 does not hold a rollback',
      ...DUE,
      list: ['1.2.2', '1.2.3'],
      quarantine: [{ version: '1.2.3' }],
      timing: { blackouts: SEASON },
      expected:
        'rollback to 1.2.2: 1.2.3 failed on this machine; 1.2.2 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D74 holds a requested restart',
      ...CURRENT,
      timing: { blackouts: SEASON },
      restartRequest: ASKED,
      expected: `restart of 1.2.5 waits until 2026-11-23T00:00:00Z: ${UNTIL}; an operator requested a restart at 2026-11-20T23:00:00Z`,
    },
    {
      case: 'D74 does not hold a restart that is requested with --now',
      ...CURRENT,
      timing: { blackouts: SEASON },
      restartRequest: { ...ASKED, isImmediate: true },
      expected:
        'restart of 1.2.5: an operator requested an immediate restart at 2026-11-20T23:00:00Z',
    },
    {
      case: 'D74 with the characters of a terminal in its reason',
      ...DUE,
      timing: { blackouts: [blackout(-1, 1, 'a\u001b[31m\nb')] },
      expected:
        'upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: no maintenance until 2026-11-21T01:00:00Z (blackout: a\\u{1b}[31m\\u{a}b)',
    },
  ]);

  it('holds without a gap, whatever the number of windows in blackouts', () => {
    const days = Array.from({ length: 100 }, (_, day) => day);
    const window = openFrom(
      ...days.map((day) => [NOW + day * DAY, NOW + day * DAY + HOUR] as const),
    );
    const blackouts = days.slice(0, 99).map((day) => blackout(24 * day, 24 * day + 2));
    const decision = decide(moduleQuestion({ ...DUE, timing: { window, blackouts } }));
    expect(told(decision)).toBe(
      'upgrade to 1.2.5 waits until 2027-02-28T00:00:00Z: no maintenance until 2026-11-21T02:00:00Z (blackout)',
    );
  });
});

function nextOf(situation: Situation): string | undefined {
  const change = nextChange(decide(moduleQuestion(situation)));
  return change && describeChange(change);
}

describe('D74: the next change', () => {
  const day = openFrom([NOW - HOUR, NOW + DAY]);
  it.each<[string, Situation, string | undefined]>([
    [
      'is the end of the blackout',
      { ...DUE, timing: { blackouts: SEASON } },
      '2026-11-23T00:00:00Z: upgrade to 1.2.5, as the blackout ends',
    ],
    [
      'is the begin of the first blackout',
      {
        ...DUE,
        timing: { blackouts: [blackout(9, 10), blackout(3, 4), blackout(5, 6), blackout(2, 2)] },
      },
      '2026-11-21T03:00:00Z: upgrade to 1.2.5 waits, as a blackout begins',
    ],
    [
      'is the window that closes before the blackout begins',
      { ...DUE, timing: { window: day, blackouts: [blackout(25, 26)] } },
      '2026-11-22T00:00:00Z: upgrade to 1.2.5 waits, as the maintenance window closes',
    ],
    [
      'is the blackout that begins before the window closes',
      { ...DUE, timing: { window: day, blackouts: [blackout(23, 26)] } },
      '2026-11-21T23:00:00Z: upgrade to 1.2.5 waits, as a blackout begins',
    ],
    [
      'is the end of the blackout in which the window opens',
      {
        ...DUE,
        timing: { window: openFrom([NOW + DAY, NOW + 2 * DAY]), blackouts: [blackout(23, 26)] },
      },
      '2026-11-22T02:00:00Z: upgrade to 1.2.5, as the blackout ends',
    ],
    [
      'is the window that opens after the blackout',
      { ...DUE, timing: { window: openFrom([NOW + 3 * DAY, NOW + 4 * DAY]), blackouts: SEASON } },
      '2026-11-24T00:00:00Z: upgrade to 1.2.5, as the maintenance window opens',
    ],
    [
      'of a held restart is the end of the blackout',
      { ...CURRENT, timing: { blackouts: SEASON }, restartRequest: ASKED },
      '2026-11-23T00:00:00Z: restart of 1.2.5, as the blackout ends',
    ],
    [
      'of a first install is none',
      { ...DUE, deployed: null, timing: { blackouts: [blackout(3, 4)] } },
      undefined,
    ],
  ])('%s', (_title, situation, expected) => {
    expect(nextOf(situation)).toBe(expected);
  });
});
