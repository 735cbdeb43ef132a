import { describe, expect, it } from 'vitest';
import {
  describeTime,
  joined,
  lasting,
  passing,
  readable,
  say,
  textOf,
  wordsOf,
} from '../../src/core/text/time-words.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

describe('a time for people', () => {
  it.each<[string, string, string | undefined, string]>([
    ['ahead', '2026-11-21T13:15:00Z', undefined, '2026-11-21T13:15:00Z (in 1 h 15 min)'],
    ['past', '2026-11-21T11:00:00Z', undefined, '2026-11-21T11:00:00Z'],
    ['now, without a zone', '2026-11-21T12:00:00Z', undefined, '2026-11-21T12:00:00Z'],
    ['now', '2026-11-21T12:00:00Z', 'Europe/Berlin', '2026-11-21T12:00:00Z (13:00 Europe/Berlin)'],
    ['with a fraction', '2026-11-21T11:00:00.789Z', undefined, '2026-11-21T11:00:00Z'],
    [
      'in a zone',
      '2026-11-22T01:00:00Z',
      'Europe/Berlin',
      '2026-11-22T01:00:00Z (02:00 Europe/Berlin, in 13 h)',
    ],
    [
      'on another day in the zone',
      '2026-11-21T23:30:00Z',
      'Asia/Tokyo',
      '2026-11-21T23:30:00Z (2026-11-22 08:30 Asia/Tokyo, in 11 h 30 min)',
    ],
    [
      'in summer',
      '2026-07-01T01:00:00Z',
      'Europe/Berlin',
      '2026-07-01T01:00:00Z (03:00 Europe/Berlin)',
    ],
    ['in UTC', '2026-11-22T01:00:00Z', 'UTC', '2026-11-22T01:00:00Z (in 13 h)'],
    [
      'in a zone that shows UTC',
      '2026-11-22T01:00:00Z',
      'Africa/Accra',
      '2026-11-22T01:00:00Z (in 13 h)',
    ],
    [
      'in a zone that does not exist',
      '2026-11-22T01:00:00Z',
      'Moon/Tycho',
      '2026-11-22T01:00:00Z (in 13 h)',
    ],
  ])('%s', (_, text, timeZone, described) => {
    expect(describeTime(Date.parse(text), { now: NOON, timeZone })).toBe(described);
  });

  it('at the end of time', () => {
    expect(describeTime(Infinity, { now: NOON, timeZone: 'Europe/Berlin' })).toBe(
      'the end of time',
    );
  });
});

const at = (text: string): ReturnType<typeof passing> => passing(Date.parse(text));

describe('[D65] a sentence with times', () => {
  it.each([
    {
      said: say`closed until ${at('2026-11-22T01:00:00Z')}; at most ${'10 min'}`,
      text: 'closed until 2026-11-22T01:00:00Z; at most 10 min',
      shown: 'closed until 2026-11-22T01:00:00Z (in 13 h); at most 10 min',
      lasts: 'closed until …; at most 10 min',
    },
    {
      said: say`${at('2026-11-22T02:00:00.5Z')}`,
      text: '2026-11-22T02:00:00.500Z',
      shown: '2026-11-22T02:00:01Z (in 14 h)',
      lasts: '…',
    },
    {
      said: say`confirmed ${passing('8 d')} ago (limit 7 d)`,
      text: 'confirmed 8 d ago (limit 7 d)',
      shown: 'confirmed 8 d ago (limit 7 d)',
      lasts: 'confirmed … ago (limit 7 d)',
    },
    {
      said: joined(['one', undefined, say`at ${at('2026-11-21T11:00:00Z')}`, 'two'], '; '),
      text: 'one; at 2026-11-21T11:00:00Z; two',
      shown: 'one; at 2026-11-21T11:00:00Z; two',
      lasts: 'one; at …; two',
    },
    {
      said: 'written by 2026-11-22T01:00:00Z within 5 min',
      text: 'written by 2026-11-22T01:00:00Z within 5 min',
      shown: 'written by 2026-11-22T01:00:00Z within 5 min',
      lasts: 'written by 2026-11-22T01:00:00Z within 5 min',
    },
    { said: joined([], '; '), text: '', shown: '', lasts: '' },
  ])('$text', ({ said, text, shown, lasts }) => {
    expect(textOf(said)).toBe(text);
    expect(readable(said, { now: NOON, timeZone: undefined })).toBe(shown);
    expect(lasting(wordsOf(said))).toBe(lasts);
    // A sentence that was stored says the same.
    expect(textOf(JSON.parse(JSON.stringify(said)))).toBe(text);
  });
});
