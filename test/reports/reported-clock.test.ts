import { expect, it } from 'vitest';
import { reportTarget } from '../../src/cli/poll/machine-reports.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import type { MachineReport } from '../../src/registry/machine-report.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { reportingMachine, type ReportingMachine } from './support/reporting.ts';

const HOUR = 3_600_000;

it.each([
  ['synchronized', true],
  ['unsynchronized', false],
  ['unknown', undefined],
] as const)('[D460] of a clock whose state is %s, %s is reported', (state, expected) => {
  const environment = { PLATFORM_PART_ID: 'rover-7' };
  const world = { ...quietWorld('linux/arm64'), environment, clockState: () => state };
  const target = reportTarget({ reports: 'https://registry.example' }, world);
  if (!target.ok) throw new Error(target.error.message);
  expect(target.value?.isSynchronized()).toBe(expected);
});

interface Noted {
  readonly machine: ReportingMachine;
  readonly sent: MachineReport[];
  isOffline: boolean;
}

/** A machine whose reports are noted, and do not arrive while it is offline. */
async function noted(): Promise<Noted> {
  const sent: MachineReport[] = [];
  const state = { isOffline: false };
  const machine = await reportingMachine({
    through: (client) => ({
      report: async (id, report, signal) => {
        if (state.isOffline) throw new RegistryError('registry-unreachable', 'no link');
        sent.push(report);
        return await client.report(id, report, signal);
      },
    }),
  });
  return Object.assign(state, { machine, sent });
}

/** The clock of the machine is set; what has passed stays as it is. */
function setClock({ clock, reporter }: ReportingMachine, ms: number): void {
  const now = clock.now.bind(clock);
  Object.assign(reporter.clock, { now: () => now() + ms });
}

it('[D460] [T849] a state that waited for hours has the time when it is sent', async () => {
  const one = await noted();
  one.isOffline = true;
  await one.machine.send();
  one.machine.clock.advance(3 * HOUR);
  one.isOffline = false;
  await one.machine.send();
  expect(one.sent.map(({ state }) => state?.at)).toEqual([formatTime(one.machine.clock.now())]);
});

it.each([
  ['59 s ahead', 59_000, 0],
  ['60 s ahead', 60_000, 1],
  ['60 s behind', -60_000, 1],
])('[D460] a clock that is set %s, with nothing else to report', async (_what, ms, states) => {
  const { machine, sent } = await noted();
  await machine.send();
  setClock(machine, ms);
  await machine.send();
  await machine.send();
  expect(sent.slice(1).map(({ state }) => state?.at)).toEqual(
    Array.from({ length: states }, () => formatTime(machine.clock.now())),
  );
});

it('[D460] a clock that is set while the state is sent is reported again, once', async () => {
  const machine = await reportingMachine();
  const times: (string | undefined)[] = [];
  const { client } = machine.reporter;
  const report: typeof client.report = async (id, one, signal) => {
    const reply = await client.report(id, one, signal);
    if (times.length === 0) setClock(machine, 56 * 365 * 24 * HOUR);
    times.push(one.state?.at);
    return reply;
  };
  Object.assign(machine.reporter, { client: { report } });
  const before = formatTime(machine.clock.now());
  await machine.send();
  await machine.send();
  expect(times).toEqual([before, formatTime(machine.clock.now())]);
});

it('[D460] what the system says of the clock is reported, and its change', async () => {
  const { machine, sent } = await noted();
  let isSynchronized: boolean | undefined = false;
  Object.assign(machine.reporter, { isSynchronized: () => isSynchronized });
  await machine.send();
  await machine.send();
  isSynchronized = true;
  await machine.send();
  isSynchronized = undefined;
  await machine.send();
  expect(sent.map(({ state }) => state?.synchronized)).toEqual([false, true, undefined]);
});
