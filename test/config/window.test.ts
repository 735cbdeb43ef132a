import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import type { MaintenanceWindow } from '../../src/config/fields/maintenance-window.ts';
import { compileWindows } from '../../src/config/window.ts';
import type { Window } from '../../src/core/index.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { value } from '../support/reading.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Parses `0 2 * * * for 2`, a start and a duration in hours. */
function window(text: string, timeZone = 'Europe/Berlin'): MaintenanceWindow {
  const [start = '', hours] = text.split(' for ');
  return { start, durationMs: Number.parseFloat(hours ?? '') * HOUR, timeZone };
}

/** `open from … to …`, or `closed until …`. */
function state(made: Window | undefined, time: string): string {
  const at = Date.parse(time);
  const since = made?.openSince(at);
  if (since === undefined) return `closed until ${formatTime(made?.nextOpening(at) ?? Infinity)}`;
  return `open from ${formatTime(since)} to ${formatTime(made?.closing(at) ?? Infinity)}`;
}

const DAILY = 'open from 2026-11-21T01:00:00Z to 2026-11-21T03:00:00Z';

describe('a maintenance window', () => {
  it('is undefined without any window, which allows actions at all times', () => {
    expect(compileWindows([])).toBeUndefined();
  });

  it.each([
    ['0 2 * * * for 2', '2026-11-21T00:59:59.999Z', 'closed until 2026-11-21T01:00:00Z'],
    ['0 2 * * * for 2', '2026-11-21T01:00:00Z', DAILY],
    ['0 2 * * * for 2', '2026-11-21T02:30:00.5Z', DAILY],
    ['0 2 * * * for 2', '2026-11-21T02:59:59.999Z', DAILY],
    ['0 2 * * * for 2', '2026-11-21T03:00:00Z', 'closed until 2026-11-22T01:00:00Z'],
    ['0 2 29 2 * for 1', '2026-03-01T00:00:00Z', 'closed until 2028-02-29T01:00:00Z'],
  ])('%s h, at %s', (text, time, expected) => {
    expect(state(compileWindows([window(text)]), time)).toBe(expected);
  });

  const midnight = 'open from 2026-11-20T22:00:00Z to 2026-11-21T01:00:00Z';
  const saturday = 'open from 2026-11-21T02:00:00Z to 2026-11-21T04:00:00Z';
  const days = 'open from 2026-11-16T01:00:00Z to 2026-11-18T13:00:00Z';
  it.each([
    ['across midnight', '0 23 * * * for 3', '2026-11-21T00:30:00Z', midnight],
    ['on a day of the week', '0 3 * * SAT for 2', '2026-11-21T02:00:00Z', saturday],
    ['longer than a day', '0 2 * * MON for 60', '2026-11-18T12:00:00Z', days],
  ])('%s', (_, text, time, expected) => {
    expect(state(compileWindows([window(text)]), time)).toBe(expected);
  });

  it('starts in its own time zone', () => {
    const made = compileWindows([window('0 2 * * * for 1', 'America/New_York')]);
    expect(state(made, '2026-11-21T00:00:00Z')).toBe('closed until 2026-11-21T07:00:00Z');
  });
});

describe('[T51] daylight saving', () => {
  const forward = 'open from 2026-03-29T00:00:00Z to 2026-03-29T02:00:00Z';
  const skipped = 'open from 2026-03-29T01:00:00Z to 2026-03-29T02:00:00Z';
  const back = 'open from 2026-10-24T23:30:00Z to 2026-10-25T01:30:00Z';
  const twice = 'open from 2026-10-25T00:30:00Z to 2026-10-25T01:30:00Z';
  const later = 'closed until 2026-03-29T01:00:00Z';
  it.each([
    [
      'clocks go forward: open for its duration',
      '0 1 * * * for 2',
      '2026-03-29T01:30:00Z',
      forward,
    ],
    [
      'clocks go forward: a start in the skipped hour opens after it',
      '30 2 * * * for 1',
      '2026-03-29T01:00:00Z',
      skipped,
    ],
    [
      'clocks go forward: the next opening is after the skipped hour',
      '30 2 * * * for 1',
      '2026-03-28T12:00:00Z',
      later,
    ],
    ['clocks go back: open for its duration', '30 1 * * * for 2', '2026-10-25T01:15:00Z', back],
    [
      'clocks go back: a start in the repeated hour opens the first time',
      '30 2 * * * for 1',
      '2026-10-25T00:30:00Z',
      twice,
    ],
    [
      'clocks go back: a start in the repeated hour opens only once',
      '30 2 * * * for 0.25',
      '2026-10-25T01:30:00Z',
      'closed until 2026-10-26T01:30:00Z',
    ],
  ])('%s', (_, text, time, expected) => {
    expect(state(compileWindows([window(text)]), time)).toBe(expected);
  });
});

it.each([
  ['2026-01-10T00:30:00Z', 'closed until 2026-01-10T01:00:00Z'],
  ['2026-07-10T01:30:00Z', 'open from 2026-07-10T01:00:00Z to 2026-07-10T03:00:00Z'],
])('at %s, a window in the offset +01:00 has no summer time', (time, expected) => {
  const policy = JSON.stringify({
    maintenance: [{ start: '0 2 * * *', duration: '2h', time_zone: '+01:00' }],
  });
  const { window: read } = value(readUpdatePolicy(policy)).terms;
  expect(read && state(read, time)).toBe(expected);
});

describe('several windows', () => {
  const windows = [
    window('0 2 * * * for 2', 'UTC'),
    window('0 3 * * * for 2', 'UTC'),
    window('0 5 * * * for 1', 'UTC'),
    window('0 8 * * * for 1', 'UTC'),
  ];
  it.each([
    ['2026-11-21T03:30:00Z', 'open from 2026-11-21T02:00:00Z to 2026-11-21T06:00:00Z'],
    ['2026-11-21T06:00:00Z', 'closed until 2026-11-21T08:00:00Z'],
    ['2026-11-21T09:00:00Z', 'closed until 2026-11-22T02:00:00Z'],
  ])('at %s, windows that overlap or follow without a gap are one', (time, expected) => {
    expect(state(compileWindows(windows), time)).toBe(expected);
    expect(state(compileWindows(windows.toReversed()), time)).toBe(expected);
  });

  it('that follow each other for most of a day close after the last one', () => {
    const made = compileWindows([
      { start: '*/5 2-20 * * *', durationMs: 5 * MINUTE, timeZone: 'UTC' },
    ]);
    expect(state(made, '2026-11-21T02:00:00Z')).toBe(
      'open from 2026-11-21T02:00:00Z to 2026-11-21T21:00:00Z',
    );
  });

  it('that follow each other without end do not close', () => {
    expect(state(compileWindows([window('0 2 * * * for 24', 'UTC')]), '2026-11-21T12:00:00Z')).toBe(
      'open from 2026-11-21T02:00:00Z to the end of time',
    );
  });
});

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
const CHANGES = ['2026-03-29', '2026-10-25', '2026-04-04', '2026-11-01', '2026-07-01'];

/** The local time as a clock shows it: `SUN 02:30`. */
function wall(timeZone: string): (time: number) => string {
  const clock = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
    weekday: 'short',
  });
  return (time) => clock.format(time).toUpperCase();
}

/** Whether a clock that shows `before` and, a minute later, `after` skips `start`, in minutes of the day. */
function skips(before: string, after: string, start: number): boolean {
  const [[day, from], [nextDay, to]] = [minuteOfDay(before), minuteOfDay(after)];
  return day === nextDay && from < start && start < to;
}

function minuteOfDay(shown: string): [day: string, minute: number] {
  const [day = '', hour, minute] = shown.split(/[ :]/);
  return [day, Number(hour) * 60 + Number(minute)];
}

describe('a window, compared with a local clock read every minute', () => {
  const cases = fc.record({
    timeZone: fc.constantFrom(...ZONES),
    day: fc.constantFrom(...CHANGES),
    hour: fc.nat({ max: 23 }),
    minute: fc.constantFrom(0, 15, 30, 45),
    weekday: fc.constantFrom('*', 'SUN', 'SAT'),
    minutes: fc.integer({ min: 1, max: 600 }),
    offset: fc.nat({ max: 1440 }),
  });

  it('opens at the first minute that shows its start, and stays open for its duration', () => {
    const property = fc.property(cases, (one) => {
      const { timeZone, day, hour, minute, weekday, minutes, offset } = one;
      const start = `${minute} ${hour} * * ${weekday}`;
      const made = compileWindows([{ start, durationMs: minutes * MINUTE, timeZone }]);
      const time = Date.parse(`${day}T00:00:00Z`) + (offset - 720) * MINUTE;
      const shows = wall(timeZone);
      const isStart = (shown: string): boolean => {
        const [name, at] = minuteOfDay(shown);
        return (weekday === '*' || weekday === name) && at === hour * 60 + minute;
      };
      const around = Array.from({ length: 2880 }, (_, place) => time + (place - 1440) * MINUTE);
      const shown = around.map(shows);
      // A time shown twice counts once. A skipped start is tested by the tables above.
      const starts = around
        .filter((_, place) => isStart(shown[place] ?? ''))
        .filter((at, place, all) => at - (all[place - 1] ?? 0) > 2 * HOUR);
      const before = shown.slice(0, -1);
      fc.pre(
        !before.some((from, place) => skips(from, shown[place + 1] ?? '', hour * 60 + minute)),
      );
      const open = starts.findLast((at) => at <= time && time < at + minutes * MINUTE);
      const next = open === undefined ? starts.find((at) => at > time) : undefined;
      expect(made?.openSince(time)).toBe(open);
      expect(next === undefined || made?.nextOpening(time) === next).toBe(true);
    });
    fc.assert(property, { numRuns: 60 });
  });
});

describe('[T267] windows that never open', () => {
  it.each<[string, string, string]>([
    ['30 February', '0 0 30 2 *', 'UTC'],
    ['a working day near 31 February', '0 0 31W 2 *', 'UTC'],
    ['a fifth Monday that is in February, and on its 28th', '0 0 28 2 +MON#5', 'UTC'],
    ['half hours that daylight saving skips', '0,30 2 25-31 3 +SUN', 'Europe/Berlin'],
  ])('%s: 20 of them are found once, not whenever they are asked', (_, start, timeZone) => {
    const rules = Array.from({ length: 20 }, () => ({ start, durationMs: HOUR, timeZone }));
    const made = compileWindows(rules);
    const before = process.cpuUsage();
    for (let minute = 0; minute < 200; minute++) {
      const at = Date.parse('2026-11-27T12:00:00Z') + minute * MINUTE;
      const found = [made?.openSince(at), made?.nextOpening(at), made?.closing(at)];
      expect(found).toEqual([undefined, undefined, undefined]);
    }
    // They took 4 s and more; once, they take 0.1 s.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });

  it.each([
    ['0 0 29 2 +MON', 'closed until 2044-02-29T00:00:00Z'],
    ['0 0 29 2 +TUE', 'closed until 2028-02-29T00:00:00Z'],
    ['0 0 1 1 +FRI', 'closed until 2027-01-01T00:00:00Z'],
  ])('%s opens, although seldom', (start, expected) => {
    const made = compileWindows([{ start, durationMs: HOUR, timeZone: 'UTC' }]);
    expect(state(made, '2026-11-27T12:00:00Z')).toBe(expected);
  });

  it('29 February on the same day of the week, 40 years later', () => {
    const made = compileWindows([{ start: '0 0 29 2 +MON', durationMs: HOUR, timeZone: 'UTC' }]);
    expect(state(made, '2072-03-01T00:00:00Z')).toBe('closed until 2112-02-29T00:00:00Z');
  });

  it('a time that no calendar has is in no window', () => {
    const made = compileWindows([window('0 2 * * * for 2')]);
    const farthest = 8_640_000_000_000_000;
    expect([made?.openSince(farthest), made?.nextOpening(farthest)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

it('100 windows that open hourly are not followed for a second', () => {
  const rules = Array.from({ length: 100 }, (_, minute) => window(`${minute % 60} * * * * for 2`));
  const before = process.cpuUsage();
  const at = Date.parse('2026-11-27T12:00:00Z');
  const closings = Array.from({ length: 5 }, (_, minute) =>
    compileWindows(rules)?.closing(at + minute * MINUTE),
  );
  expect(closings).toEqual(closings.map(() => undefined));
  // They took 5 s, and take 0.6 s.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});
