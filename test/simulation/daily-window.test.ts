import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileWindows } from '../../src/config/window.ts';
import { dailyWindow } from './daily-window.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const someWindows = fc.array(
  fc.record({ minute: fc.nat(1439), minutes: fc.integer({ min: 1, max: 1440 }) }),
  { minLength: 1, maxLength: 3 },
);

it('opens and closes at the same times as the compiled maintenance window', () => {
  const times = fc.integer({ min: 0, max: 3 * DAY });
  fc.assert(
    fc.property(someWindows, times, (windows, at) => {
      const now = Date.parse('2026-02-27T00:00:00Z') + at;
      const maintenance = windows.map(({ minute, minutes }) => ({
        start: `${minute % 60} ${Math.floor(minute / 60)} * * *`,
        durationMs: minutes * MINUTE,
        timeZone: 'UTC',
      }));
      const [model, compiled] = [dailyWindow(windows), compileWindows(maintenance)];
      expect(model?.openSince(now) === undefined).toBe(compiled?.openSince(now) === undefined);
      expect(model?.nextOpening(now)).toBe(compiled?.nextOpening(now));
      expect(model?.closing(now)).toBe(compiled?.closing(now));
    }),
    // croner is slow.
    { numRuns: 30 },
  );
});

it('is always open without a window', () => {
  expect(dailyWindow([])).toBeUndefined();
});
