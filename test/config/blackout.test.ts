import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { value } from '../support/reading.ts';

const BERLIN = { time_zone: 'Europe/Berlin' };

/** `from … until …`, in UTC. */
function read(entry: object): string {
  const policy = value(readUpdatePolicy(JSON.stringify({ blackout: [entry] })));
  return (policy.terms.blackouts ?? [])
    .map(({ from, until }) => `from ${formatTime(from)} until ${formatTime(until)}`)
    .join();
}

describe('[D74] a blackout', () => {
  it.each<[string, object, string]>([
    [
      'of a day',
      { day: '2026-12-31', ...BERLIN },
      'from 2026-12-30T23:00:00Z until 2026-12-31T23:00:00Z',
    ],
    [
      'of days, the last of which is part of it',
      { from: '2026-12-24', to: '2026-12-26', ...BERLIN },
      'from 2026-12-23T23:00:00Z until 2026-12-26T23:00:00Z',
    ],
    [
      'of one day, as a span',
      { from: '2026-12-24', to: '2026-12-24', ...BERLIN },
      'from 2026-12-23T23:00:00Z until 2026-12-24T23:00:00Z',
    ],
    [
      'from a time to a time, which is its end',
      { from: '2026-12-24T18:00', to: '2026-12-27T06:30', ...BERLIN },
      'from 2026-12-24T17:00:00Z until 2026-12-27T05:30:00Z',
    ],
    [
      'from a time to a day',
      { from: '2026-12-24T18:00', to: '2026-12-24', ...BERLIN },
      'from 2026-12-24T17:00:00Z until 2026-12-24T23:00:00Z',
    ],
    [
      'of a leap day',
      { day: '2028-02-29', time_zone: 'UTC' },
      'from 2028-02-29T00:00:00Z until 2028-03-01T00:00:00Z',
    ],
    [
      'of a year and a day, the longest',
      { from: '2026-01-01', to: '2027-01-01', time_zone: 'UTC' },
      'from 2026-01-01T00:00:00Z until 2027-01-02T00:00:00Z',
    ],
    [
      'of a minute, the shortest',
      { from: '2026-01-01T00:00', to: '2026-01-01T00:01', time_zone: 'UTC' },
      'from 2026-01-01T00:00:00Z until 2026-01-01T00:01:00Z',
    ],
    [
      'in a zone by its other name',
      { day: '2026-01-01', time_zone: 'Asia/Calcutta' },
      'from 2025-12-31T18:30:00Z until 2026-01-01T18:30:00Z',
    ],
    [
      'in an offset, which has no summer time',
      { day: '2026-07-01', time_zone: '+01:00' },
      'from 2026-06-30T23:00:00Z until 2026-07-01T23:00:00Z',
    ],
  ])('%s', (_title, entry, expected) => {
    expect(read(entry)).toBe(expected);
  });

  it.each<[string, object, string]>([
    [
      'a day of 23 hours',
      { day: '2026-03-29', ...BERLIN },
      'from 2026-03-28T23:00:00Z until 2026-03-29T22:00:00Z',
    ],
    [
      'a day of 25 hours',
      { day: '2026-10-25', ...BERLIN },
      'from 2026-10-24T22:00:00Z until 2026-10-25T23:00:00Z',
    ],
    [
      'from and to a skipped hour: the end of that hour',
      { from: '2026-03-29T02:10', to: '2026-03-29T02:50', ...BERLIN },
      'from 2026-03-29T01:00:00Z until 2026-03-29T01:00:00Z',
    ],
    [
      'from and to a repeated hour: all of it',
      { from: '2026-10-25T02:10', to: '2026-10-25T02:50', ...BERLIN },
      'from 2026-10-25T00:10:00Z until 2026-10-25T01:50:00Z',
    ],
    [
      'a day whose midnight is skipped',
      { day: '2018-11-04', time_zone: 'America/Sao_Paulo' },
      'from 2018-11-04T03:00:00Z until 2018-11-05T02:00:00Z',
    ],
    [
      'a day whose last hour is repeated',
      { day: '2018-02-17', time_zone: 'America/Sao_Paulo' },
      'from 2018-02-17T02:00:00Z until 2018-02-18T03:00:00Z',
    ],
    [
      'a change of half an hour',
      { from: '2026-10-04T02:15', to: '2026-10-04T03:00', time_zone: 'Australia/Lord_Howe' },
      'from 2026-10-03T15:30:00Z until 2026-10-03T16:00:00Z',
    ],
    [
      'a day that Samoa skipped, which holds nothing',
      { day: '2011-12-30', time_zone: 'Pacific/Apia' },
      'from 2011-12-30T10:00:00Z until 2011-12-30T10:00:00Z',
    ],
    [
      'the days around it',
      { from: '2011-12-29', to: '2011-12-31', time_zone: 'Pacific/Apia' },
      'from 2011-12-29T10:00:00Z until 2011-12-31T10:00:00Z',
    ],
  ])('[T335] %s', (_title, entry, expected) => {
    expect(read(entry)).toBe(expected);
  });
});

const SPAN = { from: '2026-12-24', to: '2026-12-26', ...BERLIN };
const FORM = 'a day such as 2026-12-24, or a time such as 2026-12-24T18:00';

describe('[T335] a blackout that cannot be read', () => {
  it.each<[string, object, string[]]>([
    [
      'ends before it begins',
      { ...SPAN, to: '2026-12-23' },
      [
        'bad-value /blackout/0: found an end at 2026-12-23, expected one after the begin at 2026-12-24',
      ],
    ],
    [
      'ends when it begins',
      { ...SPAN, from: '2026-12-24T18:00', to: '2026-12-24T18:00' },
      [
        'bad-value /blackout/0: found an end at 2026-12-24T18:00, expected one after the begin at 2026-12-24T18:00',
      ],
    ],
    [
      'has an unknown zone',
      { ...SPAN, time_zone: 'Europe/Berlinn' },
      [
        'bad-value /blackout/0/time_zone: "Europe/Berlinn" is not a time zone, expected a name such as Europe/Berlin or UTC',
      ],
    ],
    ['has no zone', { day: '2026-12-24' }, ['missing /blackout/0: time_zone is required']],
    [
      'is on 30 February',
      { day: '2026-02-30', ...BERLIN },
      ['bad-value /blackout/0/day: "2026-02-30" is not a day of the calendar'],
    ],
    [
      'is on 29 February of a year without it',
      { ...SPAN, from: '2026-02-29T18:00' },
      ['bad-value /blackout/0/from: "2026-02-29T18:00" is not a day of the calendar'],
    ],
    [
      'is in month 13',
      { ...SPAN, to: '2026-13-01' },
      ['bad-value /blackout/0/to: "2026-13-01" is not a day of the calendar'],
    ],
    [
      'has an hour 24',
      { ...SPAN, to: '2026-12-26T24:00' },
      [`bad-value /blackout/0/to: "2026-12-26T24:00" is not ${FORM}, in the years 2000 to 2999`],
    ],
    [
      'has an offset',
      { ...SPAN, to: '2026-12-26T18:00+01:00' },
      [
        `bad-value /blackout/0/to: "2026-12-26T18:00+01:00" is not ${FORM}, in the years 2000 to 2999`,
      ],
    ],
    [
      'has a day with a time',
      { day: '2026-12-24T18:00', ...BERLIN },
      [
        'bad-value /blackout/0/day: "2026-12-24T18:00" is not a day such as 2026-12-24, in the years 2000 to 2999',
      ],
    ],
    [
      'is in another millennium',
      { day: '1999-12-24', ...BERLIN },
      [
        'bad-value /blackout/0/day: "1999-12-24" is not a day such as 2026-12-24, in the years 2000 to 2999',
      ],
    ],
    [
      'is longer than a year and a day',
      { ...SPAN, to: '2027-12-26' },
      ['out-of-range /blackout/0: found 368 days from begin to end, expected at most 366'],
    ],
    [
      'is longer by a minute',
      { from: '2026-01-01T12:00', to: '2027-01-02T12:01', ...BERLIN },
      ['out-of-range /blackout/0: found 367 days from begin to end, expected at most 366'],
    ],
    [
      'is a day and a span',
      { ...SPAN, day: '2026-12-24' },
      ['bad-value /blackout/0: found day and from and to, expected either day, or from and to'],
    ],
    [
      'is a day with an end',
      { day: '2026-12-24', to: '2026-12-26', ...BERLIN },
      ['bad-value /blackout/0: found day and to, expected either day, or from and to'],
    ],
    [
      'has no end',
      { from: '2026-12-24', ...BERLIN },
      ['bad-value /blackout/0: found from, expected either day, or from and to'],
    ],
    [
      'has no time',
      { ...BERLIN },
      ['bad-value /blackout/0: found neither, expected either day, or from and to'],
    ],
    [
      'has an empty reason',
      { ...SPAN, reason: '' },
      ['out-of-range /blackout/0/reason: found 0 characters, expected 1 to 80'],
    ],
    [
      'has a long reason',
      { ...SPAN, reason: 'é'.repeat(81) },
      ['out-of-range /blackout/0/reason: found 81 characters, expected 1 to 80'],
    ],
    ['is a list', ['2026-12-24'], ['bad-type /blackout/0: found a list, expected an object']],
  ])('%s', (_title, entry, expected) => {
    expect(problems({ blackout: [entry] })).toEqual(expected);
  });

  it('is a day instead of a list', () => {
    expect(problems({ blackout: { day: '2026-12-24', ...BERLIN } })).toEqual([
      'bad-type /blackout: found an object, expected a list of blackouts',
    ]);
  });

  it('is one of more than 100 in a list', () => {
    expect(problems({ blackout: list(100), modules: { m: { blackout: list(100) } } })).toEqual([]);
    expect(problems({ modules: { m: { blackout: list(101) } } })).toEqual([
      'out-of-range /modules/m/blackout: found 101 blackouts, expected at most 100 in a list',
    ]);
  });

  it('has the same field twice', () => {
    const text = '{"blackout":[{"day":"2026-12-24","day":"2026-12-25","time_zone":"UTC"}]}';
    expect(found(text)).toEqual([
      'duplicate-key /blackout/0/day: this key appears twice; see 1:15',
    ]);
  });
});

const list = (count: number): object[] => Array.from({ length: count }, () => SPAN);

function problems(policy: object): string[] {
  return found(JSON.stringify(policy));
}

function found(text: string): string[] {
  return readUpdatePolicy(text).problems.map(
    ({ kind, path, message }) => `${kind} ${path}: ${message}`,
  );
}
