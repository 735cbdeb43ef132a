import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';

const BERLIN = { time_zone: 'Europe/Berlin' };
const SPAN = { from: '2026-12-24', to: '2026-12-26', ...BERLIN };

function found(policy: object, now?: number): string[] {
  const reading = readUpdatePolicy(JSON.stringify(policy), { now });
  return reading.problems.map(({ kind, path, message }) => `${kind} ${path}: ${message}`);
}

describe('[D74] a blackout that holds nothing', () => {
  const now = Date.parse('2026-12-24T23:00:00Z');
  const NIGHTLY = [{ start: '0 2 * * *', duration: '1h', ...BERLIN }];
  const EVENING = { from: '2026-12-28T18:00', to: '2026-12-28T23:00', ...BERLIN };
  const IDLE = 'it holds nothing: no maintenance window is open between its begin and its end';
  it.each<[string, object, string[]]>([
    [
      'has ended',
      { blackout: [SPAN, { day: '2026-12-24', ...BERLIN }] },
      ['idle-blackout /blackout/1: it ended at 2026-12-24T23:00:00Z and holds nothing any more'],
    ],
    [
      'of a module has ended',
      { modules: { m: { blackout: [{ day: '2026-12-23', ...BERLIN }] }, n: {} } },
      [
        'idle-blackout /modules/m/blackout/0: it ended at 2026-12-23T23:00:00Z and holds nothing any more',
      ],
    ],
    [
      'lies between two windows',
      { maintenance: NIGHTLY, blackout: [SPAN, EVENING] },
      [`idle-blackout /blackout/1: ${IDLE}`],
    ],
    [
      'begins when the window closes, and ends when it opens',
      {
        maintenance: NIGHTLY,
        blackout: [{ from: '2026-12-28T03:00', to: '2026-12-29T02:00', ...BERLIN }],
      },
      [`idle-blackout /blackout/0: ${IDLE}`],
    ],
    [
      'has the windows of a module',
      { blackout: [EVENING], modules: { m: { blackout: [EVENING], maintenance: NIGHTLY } } },
      [`idle-blackout /modules/m/blackout/0: ${IDLE}`],
    ],
  ])('%s', (_title, policy, expected) => {
    expect(found(policy, now)).toEqual(expected);
    expect(found(policy)).toEqual([]);
  });

  it.each<[string, object]>([
    ['without a window', { blackout: [EVENING] }],
    [
      'begins in a window',
      {
        maintenance: NIGHTLY,
        blackout: [{ from: '2026-12-28T02:59', to: '2026-12-28T23:00', ...BERLIN }],
      },
    ],
    [
      'ends in a window',
      {
        maintenance: NIGHTLY,
        blackout: [{ from: '2026-12-28T12:00', to: '2026-12-29T02:01', ...BERLIN }],
      },
    ],
    [
      'is that of a module without a window',
      { maintenance: NIGHTLY, blackout: [EVENING], modules: { m: { maintenance: [] } } },
    ],
  ])('but not one %s', (_title, policy) => {
    expect(found(policy, now)).toEqual([]);
  });
});
