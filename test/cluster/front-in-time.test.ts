import { expect, it, onTestFinished } from 'vitest';
import { openFrontInTime } from '../../src/cluster/front-in-time.ts';
import { systemClock } from '../../src/registries/index.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { Catalogue } from '../../src/server/index.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport } from '../support/machine-report.ts';
import { filledStream, frontOf } from './support/following-front.ts';

it('a front that reaches no node of its cluster takes no report: the others would lack it', async () => {
  const folder = temporaryFolder();
  const { stream } = filledStream();
  const { following } = frontOf(stream, `${folder}/registry.db`);
  await following.reaches(await stream.last(), 5000);
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'write' });
  const fleet = new FleetFile(`${folder}/fleet.db`, () => NOON, { freeDisk: 0 });
  const messages: string[] = [];
  // Nothing listens there.
  const place = { servers: ['nats://127.0.0.1:1'], credentials: undefined };
  const front = await openFrontInTime(catalogue, place, {
    clock: systemClock,
    onEvent: ({ kind }) => void messages.push(kind),
    version: '0.2.0',
    monitors: [],
  });
  onTestFinished(async () => {
    await front.close();
    fleet.close();
    catalogue.close();
  });
  front.replica.shareReports(fleet, () => undefined);
  await expect(fleet.report('rover-2', machineReport([1]))).rejects.toThrow(
    'no node of the cluster can be reached',
  );
  expect(fleet.read((sql) => sql.all('SELECT name FROM machines'))).toEqual([]);
  await expect.poll(() => messages).toEqual(['unreachable']);
});
