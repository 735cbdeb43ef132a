import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { cases } from '../support/runs.ts';

const REPORT = machineReport([1], { state: reportedState(1, {}) });

function newFleet(path: string, mode: 'create' | 'read'): FleetFile {
  const fleet = new FleetFile(path, () => NOON, { mode });
  onTestFinished(() => fleet.close());
  return fleet;
}

it('[T208] 1,000 reports that arrive together are answered once they are on the disk, and others in between', async () => {
  const path = fleetPath(`${temporaryFolder()}/registry.db`);
  const fleet = newFleet(path, 'create');
  // Another connection sees what is committed.
  const reader = newFleet(path, 'read');
  const isStored = (machine: string): boolean =>
    reader.read((sql) => sql.get('SELECT 1 FROM machines WHERE name = ?', machine)) !== undefined;
  const left = new Set(Array.from({ length: 1000 }, (_none, place) => `rover-${place}`));
  let turns = 0;
  const answers = Promise.all(
    [...left].map(async (machine) => {
      const { kind } = await fleet.report(machine, REPORT);
      left.delete(machine);
      return [kind, isStored(machine)].join(' ');
    }),
  );
  while (left.size > 0) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect(new Set(await answers)).toEqual(new Set(['known true']));
  // Four transactions.
  expect(turns).toBeGreaterThanOrEqual(4);
  // One that comes alone after them waits for no others.
  expect(await fleet.report('rover-last', REPORT)).toEqual({ kind: 'known', knownTo: 1 });
  expect(isStored('rover-last')).toBe(true);
});

it('[T232] a front whose clock is wrong deletes no outcome on the others', () => {
  const fleet = newFleet(':memory:', 'create');
  const inHundredDays = NOON + 100 * 86_400_000;
  fleet.takeShared({
    stream: 's',
    sequence: 1,
    at: NOON,
    reports: [{ machine: 'rover-1', report: REPORT }],
  });
  fleet.takeShared({
    stream: 's',
    sequence: 2,
    at: inHundredDays,
    reports: [{ machine: 'rover-2', report: REPORT }],
  });
  expect(fleet.read((sql) => sql.get('SELECT count(*) AS count FROM outcomes'))).toEqual({
    count: 2,
  });
});

/** What each of three machines reports, one after another: the versions of its modules. */
const reported = fc.array(
  fc.tuple(
    fc.constantFrom('rover-1', 'rover-2', 'rover-3'),
    fc.array(fc.constantFrom('1.2.9', '1.3.0'), { maxLength: 3 }),
  ),
  { minLength: 1, maxLength: 12 },
);

it('[T208] reports that share a transaction are counted as one after another', async () => {
  await fc.assert(
    fc.asyncProperty(reported, async (reports) => {
      const fleet = newFleet(':memory:', 'create');
      const last = new Map<string, readonly string[]>();
      await Promise.all(
        reports.map(async ([machine, versions], place) => {
          const modules = versions.map((deployed, module) => ({ name: `m${module}`, deployed }));
          last.set(machine, versions);
          const state = reportedState(place + 1, ...modules);
          await fleet.report(machine, { ...machineReport([], { state }), after: 0, to: 0 });
        }),
      );
      const counted = fleet.read((sql) =>
        sql.all('SELECT deployed, machines FROM states ORDER BY deployed'),
      );
      const versions = [...last.values()].flat();
      const expected = [...new Set(versions)]
        .toSorted()
        .map((deployed) => ({
          deployed,
          machines: versions.filter((one) => one === deployed).length,
        }));
      expect(counted.map(({ deployed, machines }) => ({ deployed, machines }))).toEqual(expected);
    }),
    cases(200),
  );
});
