import { describe, expect, it } from 'vitest';
import { formatTime, isUsualTime, parseTime } from '../../../src/core/text/rfc3339.ts';

describe('parseTime', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-11-21T01:02:03Z', 1795222923000],
    ['2026-11-21t01:02:03z', 1795222923000],
    ['2026-11-21T01:02:03.5Z', 1795222923500],
    ['2026-11-21T01:02:03.123999Z', 1795222923123],
    [`2026-11-21T01:02:03.${'5'.repeat(43)}Z`, 1795222923555],
    ['2026-11-21T06:32:03+05:30', 1795222923000],
    ['2026-11-20T20:02:03-05:00', 1795222923000],
    ['2024-02-29T00:00:00Z', 1709164800000],
    ['2016-12-31T23:59:60Z', 1483228799000],
  ])('parses %s', (text, value) => {
    expect(parseTime(text)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    'soon',
    '2026-11-21',
    '2026-11-21T01:02:03',
    '2026-11-21 01:02:03Z',
    '1795222923',
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T01:60:00Z',
    '2026-11-21T01:02:61Z',
    '2026-11-21T01:02:03+24:00',
    ' 2026-11-21T01:02:03Z',
    '+002026-11-21T01:02:03Z',
    `2026-11-21T01:02:03.${'5'.repeat(44)}Z`,
    `2026-11-21T01:02:03.${'9'.repeat(1e6)}Z`,
  ])('refuses %.40s', (text) => {
    expect(isUsualTime(text)).toBe(false);
    expect(parseTime(text)).toMatchObject({
      error: {
        kind: 'bad-time',
        text,
        expected: 'a date and time with its offset, such as 2026-11-21T01:02:03Z',
      },
    });
  });

  it.each([
    ['0000-01-01T00:00:00Z', -62_167_219_200_000],
    ['0000-01-01T23:59:00+23:59', -62_167_219_200_000],
    ['9999-12-31T23:59:60.999Z', 253_402_300_799_999],
    ['9999-12-31T00:00:59-23:59', 253_402_300_799_000],
  ])('[T256] parses %s, which is in the first or last second of RFC 3339', (text, value) => {
    expect(parseTime(text)).toEqual({ ok: true, value });
    expect(parseTime(formatTime(value))).toEqual({ ok: true, value });
  });

  it.each([
    '0000-01-01T00:00:00+00:01',
    '0000-01-01T00:00:00+23:59',
    '0000-01-01T23:58:59.999+23:59',
    '9999-12-31T23:59:00-00:01',
    '9999-12-31T23:59:59-23:59',
    '9999-12-31T00:01:00-23:59',
  ])('[T256] refuses %s, whose year in UTC is -1 or 10000', (text) => {
    expect(isUsualTime(text)).toBe(false);
    const expected = 'a time in the years 0000 to 9999 of UTC';
    expect(parseTime(text)).toMatchObject({ error: { kind: 'bad-time', text, expected } });
  });

  it.each([[undefined], [null], [1795222923000], [{}], [['2026-11-21T01:02:03Z']]])(
    'refuses %s',
    (value) => {
      expect(isUsualTime(value)).toBe(false);
      expect(parseTime(value)).toMatchObject({ error: { kind: 'bad-time' } });
    },
  );
});

it.each([
  ['2026-11-28T23:59:59Z', true],
  ['2026-11-21T01:02:03.123Z', true],
  // Times, but not in the usual form.
  ['2026-11-29T01:02:03Z', false],
  ['2026-11-21t01:02:03z', false],
  ['2026-11-21T01:02:03+01:00', false],
])('%s is in the usual form: %s', (text, isUsual) => {
  expect([isUsualTime(text), parseTime(text).ok]).toEqual([isUsual, true]);
});

it.each([
  [0, '1970-01-01T00:00:00Z'],
  [1795222923500, '2026-11-21T01:02:03.500Z'],
  [8.64e15, '+275760-09-13T00:00:00Z'],
  [8.64e15 + 1, 'the end of time'],
  [Infinity, 'the end of time'],
  [Number.NaN, 'the end of time'],
])('%s is printed as %s', (ms, text) => {
  expect(formatTime(ms)).toBe(text);
});
