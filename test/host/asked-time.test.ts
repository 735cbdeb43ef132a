import { describe, expect, it } from 'vitest';
import { askedTime } from '../../src/host/asked-time.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('[T700] a time that a person names', () => {
  it.each([
    ['2026-11-21T01:02:03Z', '2026-11-21T01:02:03Z'],
    ['2026-11-21T01:02:03+01:00', '2026-11-21T00:02:03Z'],
    ['+12h', '2026-11-23T00:00:00Z'],
    ['-30m', '2026-11-22T11:30:00Z'],
    ['+7d', '2026-11-29T12:00:00Z'],
    ['tomorrow', '2026-11-23T12:00:00Z'],
    ['yesterday', '2026-11-21T12:00:00Z'],
    ['2026-11-22T06:00 Europe/Berlin', '2026-11-22T05:00:00Z'],
    ['2026-07-01 06:00:30 America/New_York', '2026-07-01T10:00:30Z'],
    // Twice in the night in which the clocks are set back: the first.
    ['2026-10-25 02:30 Europe/Berlin', '2026-10-25T00:30:00Z'],
    // Never in the night in which they are set forward: the end of the gap.
    ['2026-03-29 02:30 Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-11-22 06:00 UTC', '2026-11-22T06:00:00Z'],
  ])('%s is %s', (text, expected) => {
    const time = askedTime(text, NOW);
    expect(time.ok && formatTime(time.value)).toBe(expected);
  });

  it.each([
    '',
    '12h',
    '+12',
    '+ 12h',
    '+4000d',
    '06:00',
    '2026-11-22T06:00',
    '2026-11-22T25:00 UTC',
    '2026-02-30T06:00 UTC',
    '2026-11-22T06:00 Mars/Base',
    '2026-11-22T06:00 +',
    'Tomorrow morning',
    'constructor',
    `+${'9'.repeat(100_000)}h`,
  ])('%s is none', (text) => {
    expect(askedTime(text, NOW)).toEqual({
      ok: false,
      error: expect.objectContaining({ kind: 'bad-time' }) as unknown,
    });
  });

  it.each([
    ['tomorow', 'tomorrow'],
    ['Yesterday', 'yesterday'],
    ['12h', '+12h or -12h'],
    ['2026-11-22T06:00', '2026-11-22T06:00:00Z'],
    ['2026-11-22 06:00:30', '2026-11-22T06:00:30Z'],
    ['2026-11-22T06:00 Europe/Berln', '2026-11-22T06:00 Europe/Berlin'],
    ['2026-11-22T25:00', undefined],
    ['2026-02-30T06:00 Europe/Berln', undefined],
    ['2026-11-22T06:00 Mars/Base', undefined],
    ['next week', undefined],
  ])('[D428] instead of %s, %s is suggested', (text, suggestion) => {
    expect(askedTime(text, NOW)).toEqual({
      ok: false,
      error: {
        kind: 'bad-time',
        text,
        position: 0,
        expected:
          'a time such as +12h, -2d, tomorrow, 2026-11-21T01:02:03Z or 2026-11-22T06:00 Europe/Berlin',
        suggestion,
        message: `"${text}" is not a time`,
      },
    });
  });

  it('[D428] of a date with an offset, the form of RFC 3339 is said', () => {
    expect(askedTime('2026-11-21T1:02Z', NOW)).toMatchObject({
      error: {
        expected: 'a date and time with its offset, such as 2026-11-21T01:02:03Z',
        suggestion: undefined,
      },
    });
  });

  it('is not after the last year that can be written', () => {
    expect(askedTime('+3660d', Date.parse('9999-01-01T00:00:00Z')).ok).toBe(false);
  });
});
