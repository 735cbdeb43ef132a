import { expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND } from '../support/day.ts';
import { entry } from '../support/planned.ts';

/** From 01:00 to 03:00. */
const AT_NIGHT = { maintenance: [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }] };

it('[T56] a day: an upgrade in the window fails, is rolled back, and the next window installs the fix', async () => {
  const rover = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*'), entry('acme:arm', '2.*')] },
    policy: AT_NIGHT,
    intervalMs: 10 * MINUTE,
    deployed: { acme_lidar: '1.2.3', acme_arm: '2.4.0' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }], 'acme:arm': [{ version: '2.4.0' }] },
  });
  rover.publish('acme:lidar', '1.2.4');
  await rover.pass(6 * MINUTE);
  expect(rover.story()).toEqual([
    '01:07:03 committed acme_lidar 1.2.3 → 1.2.4',
    '01:07:03 delivered acme_lidar 1.2.3 → 1.2.4',
  ]);

  // The health check fails, but the module runs.
  await rover.deliveries
    .shift()
    ?.failed({ reason: 'no points for 30 s', running: '1.2.4', blame: 'release' });
  await rover.pass(SECOND);
  await rover.deliveries.shift()?.done();
  await rover.pass(10 * MINUTE);
  expect(rover.story()).toEqual([
    '01:08:03 acknowledged failed',
    '01:08:03 committed rollback acme_lidar 1.2.4 → 1.2.3',
    '01:08:03 delivered rollback acme_lidar 1.2.4 → 1.2.3',
    '01:08:04 acknowledged done',
  ]);

  // Nothing restarts outside the window; the newest release is installed when it opens.
  await rover.pass(3 * HOUR);
  rover.publish('acme:lidar', '1.2.5');
  await rover.pass(HOUR);
  rover.publish('acme:lidar', '1.2.6');
  rover.publish('acme:arm', '2.5.0');
  await rover.pass(18 * HOUR);
  expect(rover.story()).toEqual([]);
  await rover.pass(2 * HOUR);
  expect(rover.story()).toEqual([
    '01:00:00 committed acme_lidar 1.2.3 → 1.2.6',
    '01:00:00 committed acme_arm 2.4.0 → 2.5.0',
    '01:00:00 delivered acme_lidar 1.2.3 → 1.2.6',
    '01:00:00 delivered acme_arm 2.4.0 → 2.5.0',
  ]);
});

it('a registry outage of an hour: the modules keep running, and the next release is found', async () => {
  const rover = await day({
    machine: { modules: [entry('acme:lidar', 'latest')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
  });
  await rover.pass(MINUTE);
  rover.registry.break({ kind: 'offline', times: Infinity });
  await rover.pass(HOUR);
  rover.publish('acme:lidar', '1.3.0');
  rover.registry.mend();
  await rover.pass(10 * MINUTE);
  expect(rover.story()).toEqual([
    '01:03:33 registry unavailable: registry-unreachable, again in 90 s',
    '02:06:33 registry available after 3780 s',
    '02:06:33 committed acme_lidar 1.2.3 → 1.3.0',
    '02:06:33 delivered acme_lidar 1.2.3 → 1.3.0',
  ]);
});
