import { expect, it, onTestFinished } from 'vitest';
import { retirementSender } from '../../src/cluster/retirement-sender.ts';
import { shareReports } from '../../src/cluster/shared-reports.ts';
import { systemClock } from '../../src/registries/index.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { retirementOf } from '../../src/server/fleet/retirement.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport } from '../support/machine-report.ts';
import { streamInMemory, type StreamInMemory } from './support/report-stream.ts';

function frontOf(stream: StreamInMemory): {
  readonly fleet: FleetFile;
  readonly stop: () => Promise<void>;
} {
  const fleet = new FleetFile(`${temporaryFolder()}/fleet.db`, () => NOON, { freeDisk: 0 });
  const clock = { ...systemClock, now: () => NOON };
  const { stop } = shareReports(fleet, stream, { clock, onEvent: () => undefined });
  onTestFinished(async () => {
    await stop();
    fleet.close();
  });
  return { fleet, stop };
}

function retirementAt(fleet: FleetFile): unknown {
  return fleet.read((sql) => retirementOf(sql, 'rover-2'));
}

const RETIRED = { machine: 'rover-2', by: 'token t1 (op)' };

it('[D83] a machine that is retired at one front of a cluster is retired at all, until it reports to any', async () => {
  const stream = streamInMemory();
  const [a, b] = [frontOf(stream).fleet, frontOf(stream).fleet];
  await a.report('rover-2', machineReport([1]));
  expect(await a.retire(RETIRED)).toEqual({ ...RETIRED, at: NOON });
  await expect.poll(() => retirementAt(b)).toEqual({ ...RETIRED, at: NOON });
  expect(await b.retire({ ...RETIRED, by: 'another' })).toEqual({ ...RETIRED, at: NOON });
  expect(stream.messages).toHaveLength(2);
  await b.report('rover-2', machineReport([2]));
  await expect.poll(() => [a, b].map(retirementAt)).toEqual(['in-use', 'in-use']);
});

it('[D83] a front that ends meanwhile does not say that a machine is retired', async () => {
  const stream = streamInMemory();
  const { fleet, stop } = frontOf(stream);
  await fleet.report('rover-2', machineReport([1]));
  const append = stream.append;
  stream.append = async () => await Promise.resolve();
  const retiring = fleet.retire(RETIRED);
  await stop();
  await expect(retiring).rejects.toThrow('this front ends');
  stream.append = append;
  expect(retirementAt(fleet)).toBe('in-use');
});

async function unappended(): Promise<never> {
  return await Promise.reject(new Error('no leader'));
}

it('[D83] that a retirement cannot be appended is refused with the reason', async () => {
  const fleet = new FleetFile(`${temporaryFolder()}/fleet.db`, () => NOON, { freeDisk: 0 });
  onTestFinished(() => fleet.close());
  await fleet.report('rover-2', machineReport([1]));
  const clock = virtualClock();
  const stream = { append: unappended };
  const retire = retirementSender({ fleet, stream, clock }, new Map());
  const refused = retire(RETIRED).catch((error: unknown) => error);
  await clock.pass(20_000);
  expect(await refused).toMatchObject({
    message: 'the stream of reports does not answer',
    cause: { message: 'no leader' },
  });
});
