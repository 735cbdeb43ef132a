import { describe, expect, it, onTestFinished } from 'vitest';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { moduleStates } from '../../src/server/fleet/fleet-queries.ts';
import { readReport } from '../../src/server/fleet/report.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import { IN_MEMORY } from '../../src/sqlite/database.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { moduleId } from '../page/support/site-page.ts';

const LIDAR = moduleId('acme:lidar');

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

it('[T270] what many machines report about a module is sent in pages of a limited length', async () => {
  const fleet = new FleetFile(IN_MEMORY, () => 0);
  onTestFinished(() => fleet.close());
  for (let place = 0; place < 100; place++) {
    const facts = { a: 'x'.repeat(32_000), place };
    const report = machineReport([], { state: reportedState(1, { facts }) });
    await fleet.report(`rover-${place}`, report);
  }
  const lengths: number[] = [];
  const machines: string[] = [];
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const text = fleet.read((sql) => uninterrupted(moduleStates(sql, LIDAR, from)));
    const page: { next: number | null; states: { machines: string[] }[] } = JSON.parse(text);
    lengths.push(text.length);
    machines.push(...page.states.flatMap((one) => one.machines));
    after = page.next;
  }
  expect(machines).toEqual(Array.from({ length: 100 }, (_, place) => `rover-${place}`));
  expect(lengths.map((length) => Math.round(length / 2 ** 20))).toEqual([2, 1]);
});

it('[D432] a module that two machines report has the platform of each', async () => {
  const fleet = new FleetFile(IN_MEMORY, () => 0);
  onTestFinished(() => fleet.close());
  for (const platform of ['linux/arm64', 'linux/amd64']) {
    const read = readReport(machineReport([], { state: { ...reportedState(1, {}), platform } }));
    if (read.ok) await fleet.report(platform.replace('/', '-'), read.value);
  }
  const text = fleet.read((sql) => uninterrupted(moduleStates(sql, LIDAR, 0)));
  const each = ['linux/arm64', 'linux-arm64', 'linux/amd64', 'linux-amd64'];
  expect(text.match(/linux.a\w+64/g)).toEqual(each);
});
