import { expect, it } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.ts';
import { FLEET_LAYOUT } from '../../src/server/fleet/fleet-schema.ts';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import type { FleetClient } from '../../src/registry/fleet-client.ts';
import { waitingReports } from '../../src/reports/outbound-file.ts';
import type { MachineReport } from '../../src/registry/machine-report.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { reportedModule } from '../support/machine-report.ts';
import { reportingMachine } from './support/reporting.ts';

const HOUR = 3_600_000;
const DONE = { module_id: 'acme:lidar', version: '1.2.9', result: 'done' };

/** Notes each report, and throws what `before` or `after` throws. */
function noting(
  reports: MachineReport[],
  { before, after }: { before?: (report: MachineReport) => void; after?: () => void } = {},
) {
  return (client: FleetClient): Pick<FleetClient, 'report'> => ({
    async report(machine, report, signal) {
      reports.push(report);
      before?.(report);
      const reply = await client.report(machine, report, signal);
      after?.();
      return reply;
    },
  });
}

function unreachable(): never {
  throw new RegistryError('registry-unreachable', 'the registry cannot be reached');
}

it('reports the state, then each outcome once', async () => {
  const machine = await reportingMachine();
  await machine.send();
  machine.act(3);
  machine.act(1, 'failed');
  await machine.send();
  await machine.send();
  expect(await machine.counts()).toMatchObject({
    machines: 1,
    modules: [{ module_id: 'acme:lidar', deployed: '1.2.9', decision: 'up-to-date', machines: 1 }],
    outcomes_in_24h: [
      { ...DONE, outcomes: 3 },
      { ...DONE, result: 'failed', outcomes: 1 },
    ],
  });
});

it('does not report what had ended before the queue began', async () => {
  const machine = await reportingMachine();
  machine.act(2);
  await machine.send();
  machine.act(1);
  await machine.send();
  expect(await machine.counts()).toMatchObject({ outcomes_in_24h: [{ ...DONE, outcomes: 1 }] });
});

it('sends the state again only if it has changed, or after 20 hours', async () => {
  const reports: MachineReport[] = [];
  const machine = await reportingMachine({ through: noting(reports) });
  const sent = async (): Promise<(number | undefined)[]> => {
    await machine.send();
    return reports.splice(0).map(({ state }) => state?.number);
  };
  expect(await sent()).toEqual([1]);
  expect(await sent()).toEqual([]);
  machine.modules = [reportedModule({ deployed: '1.3.0' })];
  expect(await sent()).toEqual([2]);
  machine.clock.advance(20 * HOUR - 1);
  expect(await sent()).toEqual([]);
  machine.clock.advance(1);
  expect(await sent()).toEqual([3]);
  // It was sent in the future.
  machine.clock.advance(-20 * HOUR);
  expect(await sent()).toEqual([4]);
});

it('a lost response changes nothing: the outcomes are known already (T150)', async () => {
  const reports: MachineReport[] = [];
  let isLost = false;
  const after = (): void => {
    if (isLost) unreachable();
  };
  const machine = await reportingMachine({ through: noting(reports, { after }) });
  await machine.send();
  machine.act(2);
  isLost = true;
  expect(await machine.send()).toBe(30_000);
  machine.act(1);
  isLost = false;
  expect(await machine.send()).toBeUndefined();
  expect(await machine.counts()).toMatchObject({
    missing_outcomes: 0,
    outcomes_in_24h: [{ ...DONE, outcomes: 3 }],
  });
  expect(machine.notices).toEqual([
    'warn the machine does not report: the registry cannot be reached; reports wait, the next attempt is in 30 s',
    'info reports are sent again',
  ]);
});

it('[T226] the queue has since when reports wait, and why, until one is taken', async () => {
  let why: 'registry-unreachable' | 'registry-refused' | undefined = 'registry-unreachable';
  const machine = await reportingMachine({
    through: noting([], {
      before() {
        if (why) throw new RegistryError(why, `it is ${why}`);
      },
    }),
  });
  const start = machine.clock.now();
  const waiting = (): object | undefined => waitingReports(machine.path);
  expect(waiting()).toBeUndefined();
  await machine.send();
  expect(waiting()).toEqual({ since: start, because: 'it is registry-unreachable' });
  machine.clock.advance(HOUR);
  why = 'registry-refused';
  await machine.send();
  expect(waiting()).toEqual({ since: start, because: 'it is registry-refused' });
  // Another process does not begin anew.
  machine.restart();
  await machine.send();
  expect(waiting()).toEqual({ since: start, because: 'it is registry-refused' });
  why = undefined;
  await machine.send();
  expect(waiting()).toBeUndefined();
});

it('a registry that lost reports gets the state and the outcomes again (T151)', async () => {
  const registry = await loopbackRegistry();
  const machine = await reportingMachine({ registry });
  await machine.send();
  machine.act(2);
  await machine.send();
  const lost = openDatabase(fleetPath(registry.catalogue.path), FLEET_LAYOUT, {
    mode: 'write',
    busyTimeoutMs: 1000,
  });
  for (const table of ['machines', 'outcomes', 'placements', 'states']) {
    lost.exec(`DELETE FROM ${table}`);
  }
  lost.close();
  machine.act(1);
  await machine.send();
  expect(await machine.counts()).toMatchObject({
    machines: 1,
    missing_outcomes: 0,
    modules: [{ machines: 1 }],
    outcomes_in_24h: [{ ...DONE, outcomes: 3 }],
  });
});

it('a registry that answers every report with a gap is asked less and less often (T151)', async () => {
  const reports: MachineReport[] = [];
  let isBroken = true;
  const machine = await reportingMachine({
    through: (client) => ({
      async report(id, report, signal) {
        reports.push(report);
        return isBroken ? { kind: 'gap', knownTo: 0 } : await client.report(id, report, signal);
      },
    }),
  });
  machine.act(1);
  const waits = [await machine.send(), await machine.send(), await machine.send()];
  expect([waits, reports.length]).toEqual([[30_000, 60_000, 120_000], 4]);
  isBroken = false;
  expect(await machine.send()).toBeUndefined();
  expect(machine.notices).toEqual([
    'warn the machine does not report: the registry answered twice that it lacks what follows outcome 0; reports wait, the next attempt is in 30 s',
    'info reports are sent again',
  ]);
});

it('a full queue drops the oldest outcomes that are no failures, and their numbers stay (T154)', async () => {
  let isOffline = false;
  const before = (): void => {
    if (isOffline) unreachable();
  };
  const machine = await reportingMachine({ mostKept: 4, through: noting([], { before }) });
  await machine.send();
  isOffline = true;
  machine.act(2, 'failed');
  for (let sent = 0; sent < 3; sent++) {
    machine.act(2);
    await machine.send();
  }
  expect(machine.file.unsent(10, 1_000_000).map(({ number }) => number)).toEqual([1, 2, 7, 8]);
  isOffline = false;
  await machine.send();
  expect(await machine.counts()).toMatchObject({
    missing_outcomes: 4,
    outcomes_in_24h: [
      { ...DONE, outcomes: 2 },
      { ...DONE, result: 'failed', outcomes: 2 },
    ],
  });
});

it('after 30 days offline, the state is sent first, then outcomes in parts with a pause (T155)', async () => {
  const reports: MachineReport[] = [];
  let isOffline = false;
  const before = (): void => {
    if (isOffline) unreachable();
  };
  const machine = await reportingMachine({ through: noting(reports, { before }) });
  await machine.send();
  isOffline = true;
  machine.act(1200);
  await machine.send();
  machine.clock.advance(30 * 24 * HOUR);
  machine.modules = [reportedModule({ deployed: '1.3.0' })];
  isOffline = false;
  reports.length = 0;
  const began = machine.clock.now();
  await machine.send();
  expect(
    reports.map(({ state, outcomes }) => [state?.modules[0]?.deployed, outcomes.length]),
  ).toEqual([
    ['1.3.0', 0],
    [undefined, 512],
    [undefined, 512],
    [undefined, 176],
  ]);
  expect(machine.clock.now() - began).toBe(3000);
});

it.each([
  [0, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]],
  [1, [60_000, 120_000, 240_000, 480_000, 600_000, 600_000]],
])(
  'machines of a registry that returns are spread over its back-off: random %d (T156)',
  async (random, waits) => {
    const before = unreachable;
    const machine = await reportingMachine({ through: noting([], { before }), random });
    const got: (number | undefined)[] = [];
    while (got.length < waits.length) got.push(await machine.send());
    expect(got).toEqual(waits);
  },
);

it('an outcome that the registry refuses three times is set aside, and the others are sent (T157)', async () => {
  const machine = await reportingMachine({
    through: (client) => ({
      async report(id, report, signal) {
        const isPoisoned = report.outcomes.some(({ action }) => action === 'a1b2-2');
        if (isPoisoned) return { kind: 'refused', detail: 'an error in it' };
        return await client.report(id, report, signal);
      },
    }),
  });
  await machine.send();
  machine.act(4);
  const waits: (number | undefined)[] = [];
  do waits.push(await machine.send());
  while (waits.at(-1) !== undefined);
  expect(waits).toEqual([30_000, 60_000, undefined]);
  expect(await machine.counts()).toMatchObject({
    missing_outcomes: 1,
    outcomes_in_24h: [{ ...DONE, outcomes: 3 }],
  });
  expect(machine.notices).toEqual([
    'warn the machine does not report: an error in it; reports wait, the next attempt is in 30 s',
    'warn the outcome of a1b2-2 is not reported: an error in it',
    'info reports are sent again',
  ]);
});

it('a machine whose id another one uses says so, and tries again rarely (T153)', async () => {
  const registry = await loopbackRegistry();
  const machine = await reportingMachine({ registry });
  await machine.send();
  machine.restart();
  machine.modules = [reportedModule({ deployed: '1.3.0' })];
  expect(await machine.send()).toBeUndefined();
  machine.restart('process-1');
  machine.modules = [reportedModule({ deployed: '1.2.8' })];
  expect(await machine.send()).toBe(300_000);
  expect(machine.notices).toEqual([
    'warn the machine does not report: another machine reports under its id: two processes report under this id; neither is counted; reports wait, the next attempt is in 5 min',
  ]);
  expect(await machine.counts()).toMatchObject({ duplicates: 1, modules: [] });
});

it('a queue that is an older copy begins another one: no outcome has the number of another (T158)', async () => {
  const machine = await reportingMachine();
  await machine.send();
  machine.act(3);
  await machine.send();
  machine.forgetNumbers();
  machine.act(2);
  await machine.send();
  machine.act(1);
  await machine.send();
  expect(await machine.counts()).toMatchObject({ outcomes_in_24h: [{ ...DONE, outcomes: 6 }] });
});
