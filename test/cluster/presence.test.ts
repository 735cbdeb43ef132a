import { expect, it, onTestFinished } from 'vitest';
import { shareReports } from '../../src/cluster/shared-reports.ts';
import { systemClock } from '../../src/registries/index.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { presenceCounts } from '../../src/server/fleet/presence.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { streamInMemory, type StreamInMemory } from './support/report-stream.ts';

const MINUTE = 60_000;

function frontOf(stream: StreamInMemory, now: () => number): FleetFile {
  const fleet = new FleetFile(`${temporaryFolder()}/fleet.db`, now, { freeDisk: 0 });
  const { stop } = shareReports(fleet, stream, {
    clock: { ...systemClock, now },
    onEvent: () => undefined,
  });
  onTestFinished(async () => {
    await stop();
    fleet.close();
  });
  return fleet;
}

it('[D186] a machine that one front of a cluster hears is online at all', async () => {
  let time = NOON;
  const now = (): number => time;
  const stream = streamInMemory();
  const [a, b] = [frontOf(stream, now), frontOf(stream, now)];
  const counts = (): object[] =>
    [a, b].map((fleet) => fleet.read((sql) => presenceCounts(sql, time)));
  const state = { ...reportedState(1, {}), every_ms: MINUTE };
  await a.report('rover-1', machineReport([], { state }));
  const online = { online: 1, quiet: 0, silent: 0 };
  await expect.poll(counts).toEqual([online, online]);
  time = NOON + 10 * MINUTE;
  const quiet = { online: 0, quiet: 1, silent: 0 };
  expect(counts()).toEqual([quiet, quiet]);
  b.noteContacts(['rover-1', 'a machine that never reported']);
  await expect.poll(counts).toEqual([online, online]);
});
