import { expect, it, onTestFinished } from 'vitest';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { fleetNumbers, type FleetNumbers } from '../../src/server/fleet/fleet-numbers.ts';
import { retire } from '../../src/server/fleet/retirement.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import type { ReportedModule, ReportedState } from '../../src/registry/machine-report.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const FAILING = { version: '1.3.0', reason: 'x', next_at: null };

interface Reported extends Partial<Omit<ReportedState, 'modules'>> {
  /** How long ago it was, in milliseconds. */
  readonly ago?: number;
  readonly modules?: readonly Partial<ReportedModule>[];
  readonly isRetired?: true;
}

/** The numbers of a fleet after these reports. */
async function numbersOf(reports: readonly Reported[]): Promise<FleetNumbers> {
  let now = NOW;
  const fleet = new FleetFile(':memory:', () => now);
  onTestFinished(() => fleet.close());
  for (const [place, { ago = 0, modules = [{}], isRetired, ...fields }] of reports.entries()) {
    now = NOW - ago;
    const state = { ...reportedState(1, ...modules), every_ms: HOUR, ...fields };
    const machine = `rover-${place}`;
    await fleet.report(machine, machineReport([], { state, instance: `process-${place}` }));
    if (isRetired) fleet.write((sql) => retire(sql, { machine, by: 't1' }, NOW));
  }
  return fleet.read((sql) => uninterrupted(fleetNumbers(sql, NOW, new Map())));
}

/** The counts that are not 0. */
function above0(counts: Readonly<Record<string, number>>): object {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
}

const BEHIND = { decision: 'upgrade', target: '1.3.0' };

it.each<[string, readonly Reported[], object]>([
  ['no machine', [], { machines: {}, behind: 0, stuck: 0, held: {}, failing: {} }],
  [
    'machines in each state of presence',
    [{}, { ago: HOUR }, { ago: 4 * HOUR }, { ago: 25 * HOUR }, { isRetired: true }],
    { machines: { online: 2, quiet: 1, silent: 1, retired: 1 } },
  ],
  [
    'modules that are behind, on machines that report the same and another one',
    [{ modules: [BEHIND] }, { modules: [BEHIND] }, { modules: [{ ...BEHIND, deployed: '1.2.0' }] }],
    { behind: 3, stuck: 0, held: {} },
  ],
  [
    'a module whose target is deployed',
    [{ modules: [{ ...BEHIND, deployed: '1.3.0' }] }],
    { behind: 0 },
  ],
  [
    'modules that are stuck and held',
    [
      { modules: [{ decision: 'stuck' }, { ...BEHIND, name: 'b', decision: 'hold' }] },
      { modules: [{ ...BEHIND, decision: 'hold', held_by: 'window-closed' }] },
      { modules: [{ ...BEHIND, decision: 'hold', held_by: 'toString' }] },
      { modules: [{ ...BEHIND, decision: 'upgrade', held_by: 'veto' }] },
    ],
    { stuck: 1, behind: 4, held: { unknown: 1, 'window-closed': 1, other: 1 } },
  ],
  [
    'modules that fail',
    [
      {
        modules: [
          { failing: { ...FAILING, blame: 'machine' } },
          { name: 'b', failing: { ...FAILING, blame: 'release' } },
        ],
      },
      { modules: [{ failing: { ...FAILING, blame: 'release' } }] },
      { modules: [{ failing: { ...FAILING, blame: 'weather' } }] },
    ],
    { failing: { machine: 1, release: 2, other: 1 } },
  ],
  [
    'nothing of a machine that is retired',
    [
      {
        isRetired: true,
        ago: HOUR,
        modules: [
          { ...BEHIND, decision: 'hold', failing: { ...FAILING, blame: 'machine' } },
          { name: 'b', decision: 'stuck' },
        ],
      },
    ],
    {
      machines: { retired: 1 },
      behind: 0,
      stuck: 0,
      held: {},
      failing: {},
      oldestReportAt: undefined,
    },
  ],
  ['the oldest report', [{}, { ago: 5 * HOUR }], { oldestReportAt: NOW - 5 * HOUR }],
  ['no report by a clock that was wrong', [{ ago: -HOUR }], { oldestReportAt: undefined }],
])('[D210] the numbers of a fleet have %s', async (_what, reports, expected) => {
  const found = await numbersOf(reports);
  const { machines, held, failing, versions: _versions, ...others } = found;
  const shown: Readonly<Record<string, unknown>> = {
    ...others,
    machines: above0(machines),
    held: above0(held),
    failing: above0(failing),
  };
  expect(Object.fromEntries(Object.keys(expected).map((key) => [key, shown[key]]))).toEqual(
    expected,
  );
});

it('[T611] versions of modreg that machines claim are at most 20 lines, those of most machines', async () => {
  const claims = Array.from({ length: 30 }, (_, place) => ({ modreg: `0.${place}.0` }));
  const { versions } = await numbersOf([{ modreg: '0.29.0' }, ...claims]);
  const [first, second] = versions;
  expect([versions.size, first, second]).toEqual([22, ['0.29.0', 2], ['0.0.0', 1]]);
  expect([versions.get('unknown'), versions.get('other')]).toEqual([0, 10]);
});

it('[T611] a version of modreg is a line only in the form of a version', async () => {
  const texts = ['rover-1.example', 'x"} 1\nup 0', `1.0.0-${'a'.repeat(100)}`, '1.0.0-rc.1'];
  const { versions } = await numbersOf(texts.map((modreg) => ({ modreg })));
  expect([...versions]).toEqual([
    ['1.0.0-rc.1', 1],
    ['unknown', 0],
    ['other', 3],
  ]);
});
