import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { version } from '../../support/ask.ts';
import { decidesOn, moduleQuestion, type Situation } from '../../support/decided.ts';
import { aged, DAY, decides, NOW } from '../../support/decides.ts';

const BY_STEP = { major: 14 * DAY, minor: 3 * DAY, patch: DAY };
const AGE = { ms: 2 * DAY, unknown: 'refuse', byStep: BY_STEP } as const;
const FROM = { now: NOW, minimumAge: AGE, deployed: version('1.2.3') };
const yank = { after: NOW - DAY, at: NOW - DAY / 2 };

describe('[D97] a minimum age by the step', () => {
  decides([
    {
      case: 'D97 each release has the age of the first number that differs',
      constraint: 'latest',
      list: [aged('2.0.0', 13), aged('1.3.0', 2), aged('1.2.4', 1), aged('1.2.3', 0)],
      eligibility: FROM,
      chosen: '1.2.4',
      refused: ['2.0.0: too-young', '1.3.0: too-young', '1.2.3: older'],
    },
    {
      case: 'D97 old enough for a minor, and to the millisecond for a major version',
      constraint: 'latest',
      list: [aged('2.0.1', 13.999), aged('2.0.0', 14), aged('1.3.0', 3)],
      eligibility: FROM,
      chosen: '2.0.0',
      refused: ['2.0.1: too-young', '1.3.0: older'],
    },
    {
      case: 'D97 a prerelease and a build of the deployed version are patches',
      constraint: 'latest-with-prerelease',
      list: [aged('1.2.3+b2', 0.9), aged('1.2.3-rc.1', 0.9)],
      eligibility: FROM,
      chosen: undefined,
      refused: ['1.2.3+b2: too-young', '1.2.3-rc.1: too-young'],
    },
    {
      case: 'D97 lower versions too',
      constraint: '0.*',
      list: [aged('0.9.1', 13), aged('0.9.0', 15)],
      eligibility: FROM,
      chosen: '0.9.0',
      refused: ['0.9.1: too-young'],
    },
    {
      case: 'D97 an unknown step needs the longest',
      constraint: 'latest',
      list: [aged('1.2.4', 13), aged('1.0.0', 14)],
      eligibility: { now: NOW, minimumAge: AGE },
      chosen: '1.0.0',
      refused: ['1.2.4: too-young'],
    },
    {
      case: 'D97 the longest is not always that of the major version',
      constraint: 'latest',
      list: [aged('1.2.4', 13), aged('1.0.0', 20)],
      eligibility: {
        now: NOW,
        minimumAge: { ...AGE, byStep: { major: 0, minor: 0, patch: 20 * DAY } },
      },
      chosen: '1.0.0',
      refused: ['1.2.4: too-young'],
    },
    {
      case: 'D97 a step without an age asks for no publish time',
      constraint: '1.*',
      list: ['1.3.0', '1.2.4'],
      eligibility: { ...FROM, minimumAge: { ...AGE, byStep: { ...BY_STEP, patch: 0 } } },
      chosen: '1.2.4',
      refused: ['1.3.0: unknown-age'],
    },
    {
      case: 'D97 pins are exempt (D12)',
      constraint: '2.0.0',
      list: [aged('2.0.0', 0)],
      eligibility: FROM,
      chosen: '2.0.0',
      refused: [],
    },
  ]);
  decidesOn([
    {
      case: 'D97 what is deployed is not too young for itself',
      wanted: 'latest',
      deployed: '1.2.3',
      list: [aged('1.2.3', 0)],
      eligibility: { minimumAge: AGE },
      expected: 'up-to-date: already the newest release',
    },
    {
      case: 'D97 nothing is deployed: the longest',
      wanted: 'latest',
      deployed: null,
      list: [aged('1.2.3', 13)],
      eligibility: { minimumAge: AGE },
      expected: 'stuck no-match: no release may be selected: 1 too young',
    },
  ]);

  it.each<[string, Situation, string | undefined]>([
    [
      'the first release that is old enough for its step',
      {
        wanted: 'latest',
        deployed: '1.2.3',
        list: [aged('2.0.0', 13.5), aged('1.3.0', 2), aged('1.2.3', 20)],
        eligibility: { minimumAge: AGE },
      },
      '2026-11-21T12:00:00Z: upgrade to 2.0.0, as a release reaches the minimum age',
    ],
    [
      'a lower release than the deprecated one that is selected (D96)',
      {
        wanted: '1.*',
        deployed: '1.2.3',
        list: [{ ...aged('1.2.5', 9), deprecated: '' }, aged('1.2.4', 0.5)],
        eligibility: { minimumAge: AGE },
      },
      '2026-11-21T12:00:00Z: upgrade to 1.2.4, as a release reaches the minimum age',
    ],
    [
      'an exempt version needs no time (D98)',
      {
        wanted: '1.*',
        deployed: '1.2.3',
        list: [aged('1.2.4', 0.5), aged('1.2.3', 9)],
        eligibility: { minimumAge: { ...AGE, exempt: ['1.2.4'] } },
      },
      undefined,
    ],
  ])('D97 the forecast: %s', (_title, situation, expected) => {
    const change = nextChange(decide(moduleQuestion(situation)));
    expect(change && describeChange(change)).toBe(expected);
  });
});

describe('[D98] exempt versions', () => {
  decides([
    {
      case: 'D98 need no age, nor a publish time',
      constraint: '1.*',
      list: [aged('1.2.6', 0), '1.2.5', aged('1.2.4', 0)],
      eligibility: { ...FROM, minimumAge: { ...AGE, exempt: ['1.2.5', '1.2.4'] } },
      chosen: '1.2.5',
      refused: ['1.2.6: too-young', '1.2.4: older'],
    },
    {
      case: 'D98 exactly this text',
      constraint: '1.*',
      list: [aged('1.2.5+b1', 0)],
      eligibility: { now: NOW, minimumAge: { ms: DAY, unknown: 'refuse', exempt: ['1.2.5'] } },
      chosen: undefined,
      refused: ['1.2.5+b1: too-young'],
    },
  ]);
});

describe('[D99] the replacement of a yanked release', () => {
  const minimumAge = { ms: 7 * DAY, unknown: 'refuse' } as const;
  const list = [{ ...aged('1.2.3', 9), yanked: 'leaks' }, aged('1.2.4', 2)];
  const soon = { ...minimumAge, afterYank: DAY };
  const since = NOW - 1.5 * DAY;
  const deployed = '1.2.3';
  decidesOn([
    {
      case: 'D99 [T397] waits as long as any other',
      wanted: '1.*',
      deployed,
      list,
      firstSeen: { since, added: new Map([['yanked 1.2.3', yank]]) },
      eligibility: { minimumAge },
      expected:
        'ahead: stays at 1.2.3, which is yanked: leaks; 1.2.4 is too young until 2026-11-26T00:00:00Z; no release may be selected: 1 too young, 1 yanked',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D99 with age_after_yank, a release that was seen before the yank needs less',
      wanted: '1.*',
      deployed,
      list,
      firstSeen: { since, added: new Map([['yanked 1.2.3', yank]]) },
      eligibility: { minimumAge: soon },
      expected: 'upgrade to 1.2.4: newest release of 1',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D99 [T397] with age_after_yank, one that was first seen with the yank or after it needs all of it',
      wanted: '1.*',
      deployed,
      list,
      firstSeen: {
        since,
        added: new Map([
          ['yanked 1.2.3', yank],
          ['1.2.4', yank],
        ]),
      },
      eligibility: { minimumAge: { ...minimumAge, afterYank: 0 } },
      expected:
        'ahead: stays at 1.2.3, which is yanked: leaks; 1.2.4 is too young until 2026-11-27T00:00:00Z; no release may be selected: 1 too young, 1 yanked',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D99 a yank in the first list has no time: as long as any other',
      wanted: '1.*',
      deployed,
      list,
      firstSeen: { since, added: new Map() },
      eligibility: { minimumAge: soon },
      expected:
        'ahead: stays at 1.2.3, which is yanked: leaks; 1.2.4 is too young until 2026-11-26T00:00:00Z; no release may be selected: 1 too young, 1 yanked',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D99 the yank of another version changes nothing',
      wanted: '1.*',
      deployed,
      list: [aged('1.2.3', 9), aged('1.2.4', 2), { ...aged('1.2.2', 9), yanked: '' }],
      firstSeen: { since, added: new Map([['yanked 1.2.2', yank]]) },
      eligibility: { minimumAge: soon },
      expected: 'up-to-date: stays at 1.2.3: 1.2.4 is too young until 2026-11-26T00:00:00Z',
    },
    {
      case: 'D99 age_after_yank never makes the age longer',
      wanted: '1.*',
      deployed,
      list,
      firstSeen: { since, added: new Map([['yanked 1.2.3', yank]]) },
      eligibility: { minimumAge: { ms: DAY, unknown: 'refuse', afterYank: 7 * DAY } },
      expected: 'upgrade to 1.2.4: newest release of 1',
      warns: ['deployed-yanked'],
    },
  ]);
});
