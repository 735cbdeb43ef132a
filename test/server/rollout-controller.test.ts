import { expect, it, onTestFinished } from 'vitest';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { soakedMs } from '../../src/server/fleet/soak.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { rolloutController } from '../../src/server/rollout/rollout-controller.ts';
import { moduleId } from '../support/ask.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = moduleId('acme:lidar');
const SECOND = 1000;

it('[T161] a front that raises rollouts again does not count the time in which another one did', async () => {
  const clock = testClock();
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const fleet = new FleetFile(fleetPath(path), () => clock.now(), { freeDisk: 0 });
  onTestFinished(() => {
    fleet.close();
    catalogue.close();
  });
  const release = readRelease({ version: '1.0.0', rollout: {} });
  if (!release.ok) throw new Error(release.error.join());
  catalogue.publish(LIDAR, release.value, clock.now());
  let isController = true;
  const replica = {
    write: async () => await Promise.reject(new Error('nothing is written')),
    shareReports: () => async () => undefined,
    isController: () => isController,
    trouble: () => undefined,
    withheld: () => undefined,
    isConfirmed: () => true,
  };
  const { step } = rolloutController(catalogue, fleet, { clock, replica });
  const soakedAfter = async (ms: number): Promise<number | undefined> => {
    clock.advance(ms);
    await step();
    const found = catalogue.rollouts.of(LIDAR, '1.0.0');
    const rollout = found.ok ? found.value?.rollout : undefined;
    return rollout && fleet.read((sql) => soakedMs(sql, rollout));
  };
  expect([await soakedAfter(0), await soakedAfter(5 * SECOND)]).toEqual([0, 5 * SECOND]);
  isController = false;
  expect(await soakedAfter(30 * SECOND)).toBe(5 * SECOND);
  isController = true;
  expect(await soakedAfter(2 * SECOND)).toBe(7 * SECOND);
});
