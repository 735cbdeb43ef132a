import { describe, expect, it } from 'vitest';
import { readReport } from '../../src/server/fleet/report.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

/** Facts of so many levels. */
function nested(levels: number): object {
  // Parsed, because an object of 100,000 levels is not written as a literal.
  return JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1));
}

function windows(count: number): readonly object[] {
  const window = { start: '0 0 30 2 *', durationMs: 3_600_000, timeZone: 'UTC' };
  return Array.from({ length: count }, () => window);
}

const inTiming = (count: number): object => ({ timing: { window: { $windows: windows(count) } } });
const TOO_MANY = 'found 101 maintenance windows, expected at most 100';

describe('[T263] [T264] the facts of a report have the limits of the documents of a machine', () => {
  it.each<[string, object, string | undefined]>([
    ['64 levels', nested(64), undefined],
    ['65 levels', nested(65), 'nested more than 64 levels deep'],
    ['257 levels', nested(257), 'nested more than 64 levels deep'],
    ['1,001 levels', nested(1001), 'nested more than 64 levels deep'],
    ['100,000 levels', nested(100_000), 'nested more than 64 levels deep'],
    [
      '65 levels of lists',
      { a: JSON.parse('['.repeat(64) + ']'.repeat(64)) },
      'nested more than 64 levels deep',
    ],
    ['100 windows', inTiming(100), undefined],
    ['101 windows', inTiming(101), TOO_MANY],
    ['101 windows where no decision looks for them', { a: [{ $windows: windows(101) }] }, TOO_MANY],
    ['101 windows at two places', { ...inTiming(60), b: { $windows: windows(41) } }, TOO_MANY],
    ['32,768 characters', { a: 'x'.repeat(32_760) }, undefined],
    ['32,769 characters', { a: 'x'.repeat(32_761) }, 'longer than 32768 characters'],
  ])('%s', (_, facts, error) => {
    const report = machineReport([], { state: reportedState(1, {}, { name: 'b', facts }) });
    const read = readReport(report);
    expect(read.ok ? undefined : read.error).toEqual(
      error === undefined ? undefined : [`/state/modules/1/facts: ${error}`],
    );
  });
});
