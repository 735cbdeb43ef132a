import { describe, expect, it } from 'vitest';
import { describeTime, withReadableTimes } from '../../src/core/text/time-words.ts';

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

  it.each([
    [
      'closed until 2026-11-22T01:00:00Z; too young until 2026-11-22T02:00:00.5Z',
      'closed until 2026-11-22T01:00:00Z (in 13 h); too young until 2026-11-22T02:00:01Z (in 14 h)',
    ],
    ['1.2.3-2026-11-22T01 and 2026-11-22', '1.2.3-2026-11-22T01 and 2026-11-22'],
  ])('in the text %s', (text, described) => {
    expect(withReadableTimes(text, { now: NOON, timeZone: undefined })).toBe(described);
  });
});
