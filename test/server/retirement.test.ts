import { expect, it, onTestFinished } from 'vitest';
import { cohort } from '../../src/core/rollout/cohort.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { deployedVersions } from '../../src/server/fleet/deployed-versions.ts';
import { fleetCounts, fleetMachines, moduleStates } from '../../src/server/fleet/fleet-queries.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import { firstStepAtOnce } from '../../src/server/rollout/first-step.ts';
import { rolloutView } from '../../src/server/rollout/rollout-view.ts';
import { moduleId } from '../support/ask.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const LIDAR = moduleId('acme:lidar');
const NO_FAILURES = { failed: 0, silent: 0 };
const RETIRED = { machine: 'rover-2', by: 'alice' };

/** What a machine reports that has begun to install 1.3.0. */
const DELIVERED: Partial<ReportedModule> = { target: '1.3.0', decision: 'upgrade' };
const DEPLOYED: Partial<ReportedModule> = { deployed: '1.3.0', target: '1.3.0' };

/** When a machine reported, in hours before now, and the result that it had of 1.3.0. */
interface Sent {
  readonly ago: number;
  readonly module?: Partial<ReportedModule>;
  readonly result?: 'done' | 'failed';
}

function newFleet(): {
  readonly fleet: FleetFile;
  readonly sent: (machine: string, reports: readonly Sent[]) => Promise<void>;
} {
  let time = NOW;
  const fleet = new FleetFile(':memory:', () => time);
  onTestFinished(() => fleet.close());
  return {
    fleet,
    async sent(machine, reports) {
      for (const [place, { ago, module = {}, result }] of reports.entries()) {
        time = NOW - ago * HOUR;
        const number = place + 1;
        const state = reportedState(number, module);
        const [outcome] = machineReport([number]).outcomes;
        const outcomes = result && outcome ? [{ ...outcome, to: '1.3.0', result }] : [];
        await fleet.report(machine, { ...machineReport([number], { state }), outcomes });
      }
      time = NOW;
    },
  };
}

/** A rollout of 1.3.0 to all, whose only step began so many hours ago. */
function viewOf(fleet: FleetFile, began: number): ReturnType<typeof tallyAndNext> {
  return tallyAndNext(fleet, NOW - began * HOUR);
}

function tallyAndNext(
  fleet: FleetFile,
  at: number,
): { readonly counts: Readonly<Record<string, number>>; readonly next: string } {
  const rollout = {
    status: 'running',
    sequence: 2,
    salt: 's1',
    percent: 100,
    share: 1,
    first: [],
    groups: [],
    steps: [{ at, share: 1, groups: [] }],
    startedAt: at,
    soakingSince: at,
    because: undefined,
    seen: NO_FAILURES,
    acknowledged: NO_FAILURES,
  } as const;
  const named = { moduleId: LIDAR, version: '1.3.0', platforms: undefined, yanked: undefined };
  fleet.write((sql) => sql.run('INSERT OR REPLACE INTO soaks VALUES (?, ?, ?)', 's1', at, HOUR));
  const view = fleet.read((sql) =>
    uninterrupted(rolloutView(sql, { ...named, soakMs: HOUR, rollout }, NOW)),
  );
  const { control: _control, newest: _newest, ...counts } = view.tally;
  return { counts, next: view.next.kind };
}

const NONE = { waiting: 0, installing: 0, healthy: 0, failed: 0, silent: 0 };

it.each<[string, readonly Sent[], Record<string, number>, string]>([
  ['silent before the rollout', [{ ago: 6 }], { healthy: 1 }, 'complete'],
  ['heard just before the rollout', [{ ago: 4.01 }], { healthy: 1, silent: 1 }, 'wait'],
  ['heard in its step', [{ ago: 5 }, { ago: 3 }], { healthy: 1, silent: 1 }, 'wait'],
  [
    'silent since the delivery',
    [{ ago: 5 }, { ago: 3, module: DELIVERED }],
    { healthy: 1, silent: 1 },
    'wait',
  ],
  [
    'silent since it failed',
    [{ ago: 3, module: DELIVERED, result: 'failed' }],
    { healthy: 1, failed: 1 },
    'wait',
  ],
  [
    'silent with the release',
    [{ ago: 3, module: DEPLOYED, result: 'done' }],
    { healthy: 2 },
    'complete',
  ],
])('[D83, T361] one of two machines, %s, is retired', async (_title, reports, counts, next) => {
  const { fleet, sent } = newFleet();
  await sent('rover-1', [{ ago: 1, module: DEPLOYED, result: 'done' }]);
  await sent('rover-2', reports);
  expect(await fleet.retire(RETIRED)).toEqual({ ...RETIRED, at: NOW });
  expect(viewOf(fleet, 4)).toEqual({ counts: { ...NONE, ...counts }, next });
});

it('[D83] without a retirement, a rollout waits for a machine that is silent', async () => {
  const { fleet, sent } = newFleet();
  await sent('rover-1', [{ ago: 1, module: DEPLOYED, result: 'done' }]);
  await sent('rover-2', [{ ago: 1440 }]);
  expect(viewOf(fleet, 4)).toEqual({ counts: { ...NONE, healthy: 1, waiting: 1 }, next: 'wait' });
});

it('[D83] no first step begins with a retired machine', async () => {
  const { fleet, sent } = newFleet();
  await sent('rover-1', [{ ago: 1 }]);
  await sent('rover-2', [{ ago: 1 }]);
  await fleet.retire(RETIRED);
  const release = { version: '1.3.0', platforms: undefined };
  for (let times = 0; times < 20; times++) {
    const { share, salt } = firstStepAtOnce(fleet)(LIDAR, release, NOW);
    expect(share).toBeGreaterThan(cohort('rover-1', salt));
  }
});

/** Everything that counts or lists machines. */
function known(fleet: FleetFile): unknown {
  return fleet.read((sql) => {
    const counts = Object(uninterrupted(fleetCounts(sql, NOW, new Map())));
    const ids = (condition?: 'retired'): string[] =>
      fleetMachines(
        sql,
        { after: '', condition },
        { now: NOW, limit: 9, refusals: new Map() },
      ).machines.map((one) => Object(one).id);
    return {
      counts: [counts.machines, counts.retired, counts.seen_in_24h],
      modules: counts.modules.map((one: Record<string, unknown>) => one['machines']),
      outcomes: counts.outcomes_in_24h.map((one: Record<string, unknown>) => one['outcomes']),
      deployed: deployedVersions(sql, LIDAR).deployed.map(({ machines }) => machines),
      states: JSON.parse(uninterrupted(moduleStates(sql, LIDAR, 0))).states.map(
        (one: Record<string, unknown>) => one['machines'],
      ),
      listed: ids(),
      retired: ids('retired'),
    };
  });
}

it('[D83] no count has a retired machine, its outcomes stay, and it is back with its next report', async () => {
  const { fleet, sent } = newFleet();
  await sent('rover-1', [{ ago: 1, result: 'done' }]);
  await sent('rover-2', [{ ago: 1, result: 'done' }]);
  const before = {
    counts: [2, 0, 2],
    modules: [2],
    outcomes: [2],
    deployed: [2],
    states: [['rover-1', 'rover-2']],
    listed: ['rover-1', 'rover-2'],
    retired: [],
  };
  expect(known(fleet)).toEqual(before);
  await fleet.retire(RETIRED);
  expect(known(fleet)).toEqual({
    counts: [1, 1, 1],
    modules: [1],
    outcomes: [2],
    deployed: [1],
    states: [['rover-1']],
    listed: ['rover-1'],
    retired: ['rover-2'],
  });
  await fleet.report('rover-2', { ...machineReport([2]), outcomes: [] });
  expect(known(fleet)).toEqual(before);
});

function by(instance: string): ReturnType<typeof machineReport> {
  return machineReport([], { instance });
}

it('[D83] two processes that report as a retired machine bring it back', async () => {
  const { fleet, sent } = newFleet();
  await sent('rover-2', [{ ago: 3 }]);
  for (const instance of ['one', 'two', 'one']) await fleet.report('rover-2', by(instance));
  await fleet.retire(RETIRED);
  expect(await fleet.report('rover-2', by('two'))).toEqual({ kind: 'duplicate' });
  expect(
    fleet.read((sql) => Object(uninterrupted(fleetCounts(sql, NOW, new Map())))),
  ).toMatchObject({ machines: 1, retired: 0, duplicates: 1 });
});

it('[D83] who retired a machine first stays, and one that never reported cannot be retired', async () => {
  const { fleet, sent } = newFleet();
  await sent('rover-2', [{ ago: 3 }]);
  await fleet.retire(RETIRED);
  expect(await fleet.retire({ ...RETIRED, by: 'bob' })).toEqual({ ...RETIRED, at: NOW });
  expect(await fleet.retire({ ...RETIRED, machine: 'rover-9' })).toBeUndefined();
});
