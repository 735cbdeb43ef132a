import { expect, it, onTestFinished } from 'vitest';
import type { FailingModule, ReportedModule } from '../../src/registry/machine-report.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { fleetCounts, fleetMachines } from '../../src/server/fleet/fleet-queries.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const FULL: FailingModule = {
  version: '1.3.0',
  blame: 'machine',
  attempts: 4,
  reason: 'the disk is full',
  next_at: '2026-11-21T12:05:00Z',
};
const STALLED: FailingModule = {
  version: '1.3.0',
  blame: 'release',
  reason: 'motor stalled',
  next_at: null,
};
const COUNT = { module_id: 'acme:lidar', version: '1.3.0' };

function newFleet(): {
  readonly fleet: FleetFile;
  readonly sent: (
    machine: string,
    number: number,
    ...modules: Partial<ReportedModule>[]
  ) => Promise<unknown>;
  /** What the counts say, and the machines that are listed as failing, each with what it reports. */
  readonly failing: () => object;
} {
  const fleet = new FleetFile(':memory:', () => NOW);
  onTestFinished(() => fleet.close());
  return {
    fleet,
    sent: async (machine, number, ...modules) =>
      await fleet.report(machine, machineReport([], { state: reportedState(number, ...modules) })),
    failing: () =>
      fleet.read((sql) => {
        const counts = Object(uninterrupted(fleetCounts(sql, NOW, new Map())));
        const search = { condition: 'failing', after: '' } as const;
        const { machines } = fleetMachines(sql, search, {
          now: NOW,
          limit: 10,
          refusals: new Map(),
        });
        return {
          count: counts.failing,
          modules: counts.failing_modules,
          machines: machines.map((one) => {
            const { id, modules } = Object(one);
            return [id].concat(modules.map((module: object) => Object(module).failing));
          }),
        };
      }),
  };
}

it('[D184] a registry counts what fails, and lists the machines with what they reported', async () => {
  const { sent, failing } = newFleet();
  await sent('rover-1', 1, { failing: FULL }, { name: 'acme_arm', module_id: 'acme:arm' });
  await sent('rover-2', 1, { failing: STALLED });
  await sent('rover-3', 1, { failing: { ...FULL, attempts: 1 } });
  await sent('rover-4', 1, {});
  expect(failing()).toEqual({
    count: 3,
    modules: [
      { ...COUNT, blame: 'machine', machines: 2 },
      { ...COUNT, blame: 'release', machines: 1 },
    ],
    machines: [
      ['rover-1', FULL],
      ['rover-2', STALLED],
      ['rover-3', { ...FULL, attempts: 1 }],
    ],
  });
});

it('[D184] the next state says what fails, also if an earlier modreg takes it', async () => {
  const { fleet, sent, failing } = newFleet();
  for (const machine of ['rover-1', 'rover-2']) await sent(machine, 1, { failing: FULL });
  await sent('rover-1', 2, {});
  expect(failing()).toMatchObject({ count: 1, machines: [['rover-2', FULL]] });
  // An earlier modreg does not know what fails, and writes the number of the state.
  fleet.write((sql) => sql.run(`UPDATE machines SET state_number = 2 WHERE name = 'rover-2'`));
  expect(failing()).toEqual({ count: 0, modules: [], machines: [] });
});

it('[D184] a retired machine does not fail', async () => {
  const { fleet, sent, failing } = newFleet();
  await sent('rover-1', 1, { failing: FULL });
  await fleet.retire({ machine: 'rover-1', by: 'alice' });
  expect(failing()).toEqual({ count: 0, modules: [], machines: [] });
});

it('[D184] machines of which one fails share their state', async () => {
  const { fleet, sent } = newFleet();
  await sent('rover-1', 1, { failing: FULL });
  await sent('rover-2', 1, {});
  expect(fleet.read((sql) => sql.all('SELECT machines FROM states'))).toEqual([{ machines: 2 }]);
});

it('[D184] a damaged row says which version fails, and no more', async () => {
  const { fleet, sent, failing } = newFleet();
  await sent('rover-1', 1, { failing: FULL });
  fleet.write((sql) => sql.run(`UPDATE failing_modules SET failure = '{"version":'`));
  const known = { version: '1.3.0', blame: 'machine', reason: null, next_at: null };
  expect(failing()).toMatchObject({ count: 1, machines: [['rover-1', known]] });
});
