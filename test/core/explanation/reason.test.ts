import { expect, it } from 'vitest';
import { decide, describeDecision } from '../../../src/core/index.ts';
import { reasonOf, type Reason } from '../../../src/core/explanation/reason.ts';
import { readable, textOf } from '../../../src/core/text/time-words.ts';
import { moduleQuestion, openFrom, type Situation } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = 3_600_000;
const UPGRADE = { wanted: '1.*', deployed: '1.0.0', list: ['1.0.0', '1.1.0'] } as const;
const PIN = { wanted: '1.1.0', deployed: '1.0.0', list: ['1.0.0', '1.1.0'] } as const;
const YOUNG = { ms: DAY, unknown: 'refuse' } as const;

interface Row extends Reason {
  readonly of: string;
  readonly situation: Situation;
  readonly shown: string;
}

const ROWS: readonly Row[] = [
  {
    of: 'what is kept',
    situation: { ...UPGRADE, deployed: '1.1.0' },
    code: 'up-to-date',
    facts: ['already the newest release of 1'],
    times: [],
    shown: 'already the newest release of 1',
  },
  {
    of: 'a newer release that is too young',
    situation: {
      ...UPGRADE,
      deployed: '1.1.0',
      list: ['1.1.0', { version: '1.2.0', publishedAt: NOW }],
      eligibility: { minimumAge: { ...YOUNG, unknown: 'allow' } },
    },
    code: 'up-to-date',
    facts: ['stays at 1.1.0: 1.2.0 is too young until ', ''],
    times: [NOW + DAY],
    shown:
      'stays at 1.1.0: 1.2.0 is too young until 2026-11-22T00:00:00Z (01:00 Europe/Berlin, in 1 d)',
  },
  {
    of: 'two holds',
    situation: {
      ...UPGRADE,
      timing: { window: openFrom([NOW + HOUR, NOW + DAY]), restarts: [NOW] },
    },
    code: 'window-closed',
    facts: ['the maintenance window is closed until ', '; cooling down after a restart until ', ''],
    times: [NOW + HOUR, NOW + 300_000],
    shown:
      'the maintenance window is closed until 2026-11-21T01:00:00Z (02:00 Europe/Berlin, in 1 h); cooling down after a restart until 2026-11-21T00:05:00Z (01:05 Europe/Berlin, in 5 min)',
  },
  {
    of: 'a list that is too old',
    situation: { ...UPGRADE, stale: { confirmedAt: NOW - 8 * DAY, message: 'refused' } },
    code: 'list-stale',
    facts: ['refused; the saved list was confirmed at ', ', the limit is 7 d'],
    times: [NOW - 8 * DAY],
    shown:
      'refused; the saved list was confirmed at 2026-11-13T00:00:00Z (01:00 Europe/Berlin), the limit is 7 d',
  },
  {
    of: 'no list',
    situation: {
      ...UPGRADE,
      list: { error: { kind: 'registry-timeout', message: 'no answer within 10 min' } },
    },
    code: 'registry-timeout',
    facts: ['no answer within 10 min'],
    times: [],
    shown: 'no answer within 10 min',
  },
  {
    of: 'a pin in quarantine, whose reason was written by others',
    situation: {
      ...PIN,
      quarantine: [{ version: '1.1.0', until: NOW + HOUR, reason: 'hot at 2026-11-20T10:00:00Z' }],
    },
    code: 'quarantined',
    facts: [
      'the pin failed on this machine (hot at 2026-11-20T10:00:00Z) and is quarantined until ',
      '',
    ],
    times: [NOW + HOUR],
    shown:
      'the pin failed on this machine (hot at 2026-11-20T10:00:00Z) and is quarantined until 2026-11-21T01:00:00Z (02:00 Europe/Berlin, in 1 h)',
  },
  {
    of: 'a pin that is not published',
    situation: { ...PIN, wanted: '1.2.0' },
    code: 'pin-not-published',
    facts: ['the pin is not published; the nearest published version is 1.1.0'],
    times: [],
    shown: 'the pin is not published; the nearest published version is 1.1.0',
  },
];

it.each(ROWS.map((row) => [row.of, row] as const))(
  '[D65] the reason of %s: its code, its facts and its times',
  (_title, { situation, shown, code, facts, times }) => {
    const decision = decide(moduleQuestion(situation));
    const reason = reasonOf(decision);
    expect(reason).toEqual({ code, facts, times });
    expect(textOf(reason)).toBe(describeDecision(decision));
    expect(readable(reason, { now: NOW, timeZone: 'Europe/Berlin' })).toBe(shown);
  },
);
