import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { value } from '../support/reading.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const DAYS = fc.integer({ min: 0, max: 40 * 365 }).map((count) => {
  return new Date(Date.parse('2000-01-01') + count * DAY).toISOString().slice(0, 10);
});

/** Days on which many zones change their clocks, or one of them skipped or repeated something rare. */
const CHANGES = fc.constantFrom<readonly [zone: string, day: string]>(
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2018-02-17'],
  ['America/St_Johns', '2010-11-07'],
  ['America/St_Johns', '2010-11-06'],
  ['Asia/Gaza', '2015-10-24'],
  ['Asia/Jerusalem', '2004-09-21'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Pacific/Apia', '2011-12-29'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Apia', '2011-12-31'],
);
const ANY = fc.tuple(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), DAYS);

it('[D74, T335] a day is a blackout from its first to its last moment on a clock in its zone', () => {
  fc.assert(
    fc.property(fc.oneof(CHANGES, ANY), ([time_zone, day]) => {
      const text = JSON.stringify({ blackout: [{ day, time_zone }] });
      const [{ from, until } = { from: 0, until: 0 }] =
        value(readUpdatePolicy(text)).terms.blackouts ?? [];
      const clock = new Intl.DateTimeFormat('sv', { timeZone: time_zone, dateStyle: 'short' });
      const isThatDay = (at: number): boolean => clock.format(at) === day;
      const noon = Date.parse(`${day}T12:00Z`);
      const quarters = Array.from(
        { length: 480 },
        (_, place) => noon + (place - 240) * 15 * MINUTE,
      );
      const shown = quarters.filter(isThatDay);
      expect(shown.filter((at) => at < from || at >= until)).toEqual([]);
      const isShown = shown.length > 0;
      expect([isThatDay(from), isThatDay(until - 1)]).toEqual([isShown, isShown]);
      // No part of a day that the zone shows is left out, and nothing else is in it.
      expect([isThatDay(from - 1), isThatDay(until)]).toEqual([false, false]);
    }),
    { numRuns: 500 },
  );
});
