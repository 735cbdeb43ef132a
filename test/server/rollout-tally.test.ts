import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { cohort } from '../../src/core/rollout/cohort.ts';
import { ROLLOUT_POLICY } from '../../src/core/rollout/rollout-policy.ts';
import type { Rollout } from '../../src/core/rollout/rollout.ts';
import { tally, type RolloutMachine, type Tally } from '../../src/core/rollout/tally.ts';
import type { ReportedOutcome } from '../../src/registry/machine-report.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { fleetCounts } from '../../src/server/fleet/fleet-queries.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import type { RolloutStart } from '../../src/server/catalogue/rollout-start.ts';
import { firstStepInSlices } from '../../src/server/rollout/first-step.ts';
import { rolloutView } from '../../src/server/rollout/rollout-view.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { cases } from '../support/runs.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const NO_FAILURES = { failed: 0, silent: 0 };
const RUNNING: Rollout = {
  status: 'running',
  sequence: 2,
  salt: 's1',
  percent: 50,
  share: 0.5,
  first: [],
  groups: [],
  startedAt: NOW - 9 * HOUR,
  steps: [{ at: NOW - 9 * HOUR, share: 0.5, groups: [] }],
  soakingSince: NOW - 4 * HOUR,
  because: undefined,
  seen: NO_FAILURES,
  acknowledged: NO_FAILURES,
};
const ROLLOUT = {
  moduleId: moduleId('acme:lidar'),
  version: '1.3.0',
  platforms: undefined,
  yanked: undefined,
  soakMs: HOUR,
  rollout: RUNNING,
};

interface Reporting {
  readonly platform: string;
  readonly constraint: string | null;
  readonly deployed: string;
  readonly target: string | null;
  readonly decision: string;
  /** When it reported, before now, in hours, and the result of the release that it reported then. */
  readonly reports: readonly { readonly ago: number; readonly result: Result }[];
}

type Result = ReportedOutcome['result'] | undefined;

const fleets = fc.array(
  fc.record({
    platform: fc.constantFrom('linux/amd64', 'linux/arm64', 'linux/arm64'),
    constraint: fc.constantFrom('1.*', '1.3.*', '1.2.*', '1.3.0', 'latest', 'nonsense', null),
    deployed: fc.constantFrom('1.2.9', '1.3.0', '1.4.0', 'none', 'reload-1'),
    target: fc.constantFrom('1.3.0', '1.2.9', null),
    decision: fc.constantFrom('upgrade', 'hold', 'stuck', 'up-to-date', 'disabled'),
    reports: fc.array(
      fc.record({
        ago: fc.nat(6),
        result: fc.constantFrom<Result>(undefined, undefined, 'done', 'failed', 'withdrawn'),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { maxLength: 20 },
);

/** The platforms of a release's artifacts, and those of the machines on which it runs. */
const PLATFORMS: [readonly string[] | undefined, readonly string[]][] = [
  [undefined, ['linux/amd64', 'linux/arm64']],
  [['any'], ['linux/amd64', 'linux/arm64']],
  [['linux/aarch64'], ['linux/arm64']],
  [['any/x64', 'darwin/arm64'], ['linux/amd64']],
  [[], []],
];

/** What the reports of a machine say about the rollout, in the words of docs/fleet.md; undefined if it is none of its machines. */
function expectedOf(
  { platform, constraint, deployed, target, decision, reports }: Reporting,
  id: string,
  published: readonly string[],
): RolloutMachine | undefined {
  if (!published.includes(platform)) return undefined;
  if (!['1.*', '1.3.*', 'latest'].includes(constraint ?? '') || deployed === '1.4.0') {
    return undefined;
  }
  const heardAt = Math.max(...reports.map(({ ago }) => NOW - ago * HOUR));
  const known = reports.filter(({ result }) => result !== undefined);
  const isDelivering = target === '1.3.0' && ['upgrade', 'up-to-date'].includes(decision);
  const place = cohort(id, 's1');
  if (known.length === 0 && deployed !== '1.3.0' && !isDelivering) {
    return { cohort: place, heardAt, delivery: undefined };
  }
  const results = new Set(known.map(({ result }) => result));
  const isHealthy = deployed === '1.3.0' || results.has('done');
  const outcome = results.has('failed') ? 'failed' : isHealthy ? 'healthy' : undefined;
  const at = Math.min(...known.map(({ ago }) => NOW - ago * HOUR));
  return { cohort: place, heardAt, delivery: { at: known.length > 0 ? at : heardAt, outcome } };
}

function newFleet(path: string): {
  readonly fleet: FleetFile;
  readonly at: (time: number) => void;
} {
  let time = NOW;
  const fleet = new FleetFile(path, () => time);
  onTestFinished(() => fleet.close());
  return { fleet, at: (to) => (time = to) };
}

interface Sent {
  readonly number: number;
  readonly platform: string;
  readonly module: object;
  readonly result: Result;
}

async function report(
  fleet: FleetFile,
  id: string,
  { number, platform, module, result }: Sent,
): Promise<void> {
  const [outcome] = machineReport([number]).outcomes;
  const state = { ...reportedState(number, module), platform };
  const outcomes = result && outcome ? [{ ...outcome, to: '1.3.0', result }] : [];
  const empty = machineReport([number], { state });
  expect(await fleet.report(id, { ...empty, outcomes })).toEqual({
    kind: 'known',
    knownTo: number,
  });
}

it('counts a fleet as the plain function does, whatever the machines reported (D53)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fleets,
      fc.constantFrom(...PLATFORMS),
      async (machines, [platforms, published]) => {
        const { fleet, at } = newFleet(':memory:');
        for (const [place, machine] of machines.entries()) {
          const { reports, platform, ...module } = machine;
          const inOrder = reports.toSorted((a, b) => b.ago - a.ago);
          for (const [before, { ago, result }] of inOrder.entries()) {
            at(NOW - ago * HOUR);
            await report(fleet, `rover-${place}`, { number: before + 1, platform, module, result });
          }
        }
        const view = await fleet.readInSlices((sql) =>
          rolloutView(sql, { ...ROLLOUT, platforms }, NOW),
        );
        const expected = machines.flatMap(
          (one, place) => expectedOf(one, `rover-${place}`, published) ?? [],
        );
        expect(view.tally).toEqual(tally(expected, RUNNING, ROLLOUT_POLICY, NOW));
        expect(view.failed.size).toBe(view.tally.failed);
        expect(view.included).toBe(expected.filter((one) => one.cohort < 0.5).length);
      },
    ),
    cases(100),
  );
});

it('[T179] counts 2,000 machines as they were when it began, and takes reports meanwhile', async () => {
  const { fleet } = newFleet(`${temporaryFolder()}/registry-fleet.db`);
  const platform = 'linux/arm64';
  const ids = Array.from({ length: 2000 }, (_none, place) => `rover-${place}`);
  await Promise.all(
    ids.map(
      async (id) =>
        await report(fleet, id, { number: 1, platform, module: {}, result: 'withdrawn' }),
    ),
  );
  // Since this one came alone, no later one waits for others.
  await report(fleet, 'rover-0', { number: 1, platform, module: {}, result: 'withdrawn' });
  const before = fleet.read((sql) => uninterrupted(rolloutView(sql, ROLLOUT, NOW))).tally;
  let counted: Tally | undefined;
  const isCounted = (): boolean => counted !== undefined;
  const counting = fleet
    .readInSlices((sql) => rolloutView(sql, ROLLOUT, NOW))
    .then((view) => (counted = view.tally));
  const second = fleet.readInSlices((sql) => fleetCounts(sql, NOW, new Map()));
  let taken = 0;
  for (const id of ids) {
    if (isCounted()) break;
    await report(fleet, id, {
      number: 2,
      platform,
      module: { deployed: '1.3.0' },
      result: 'failed',
    });
    if (!isCounted()) taken++;
  }
  expect(await counting).toEqual(before);
  // Two passes over all machines have four slices each.
  expect(taken).toBeGreaterThanOrEqual(4);
  // Of those that run one after another, each begins with what is then known.
  const { failed } = (await fleet.readInSlices((sql) => rolloutView(sql, ROLLOUT, NOW))).tally;
  const later = Object(await second);
  expect([failed > 0, later.machines, later.outcomes_in_24h.length]).toEqual([true, 2000, 2]);
});

it('[T179] begins a rollout for 2,000 machines, and takes reports meanwhile', async () => {
  const { fleet } = newFleet(`${temporaryFolder()}/registry-fleet.db`);
  const sent = { platform: 'linux/arm64', module: {}, result: undefined };
  const ids = Array.from({ length: 2000 }, (_none, place) => `rover-${place}`);
  await Promise.all(ids.map(async (id) => await report(fleet, id, { number: 1, ...sent })));
  // Since this one came alone, no later one waits for others.
  await report(fleet, 'rover-0', { number: 1, ...sent });
  let first: RolloutStart | undefined;
  const isOver = (): boolean => first !== undefined;
  const begun = firstStepInSlices(fleet)(ROLLOUT.moduleId, ROLLOUT, NOW).then(
    (start) => (first = start),
  );
  let taken = 0;
  for (const id of ids) {
    if (isOver()) break;
    await report(fleet, id, { number: 2, ...sent });
    taken++;
  }
  const { salt, percent, share } = await begun;
  const included = ids.filter((id) => cohort(id, salt) < share);
  expect([percent, included.length >= 2]).toEqual([0.1, true]);
  // Two passes over all machines have four slices each.
  expect(taken).toBeGreaterThanOrEqual(4);
});
