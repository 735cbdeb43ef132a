import { expect, it } from 'vitest';
import type { FailureReport } from '../../src/poller/index.ts';
import { day, HOUR, MINUTE, SECOND, targetNamed, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';

/** A machine in its window, which closes at 01:30 until 02:00, and its agent, which has just got the action to upgrade acme:lidar. */
async function upgrading(): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    policy: { maintenance: [{ start: '0 1,2 * * *', duration: '30m', time_zone: 'UTC' }] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.2' }, { version: '1.2.3' }, { version: '1.2.4' }] },
  });
  await machine.pass(MINUTE);
  expect(machine.story().at(-1)).toBe('01:02:33 delivered acme_lidar 1.2.3 → 1.2.4');
  return machine;
}

const CRASHED: FailureReport = { blame: 'release', reason: 'exit code 3', running: null };
const NO_FILE: FailureReport = { blame: 'machine', reason: 'HTTP 503', running: '1.2.3' };

async function report(machine: Day, failure: FailureReport): Promise<void> {
  await machine.deliveries.shift()?.failed(failure);
}

/** The rows of docs/embedding.md, What to report. */
it.each<[situation: string, act: (machine: Day) => Promise<unknown>, story: string[]]>([
  [
    '[D37] it crashed at its start, after the window closed',
    async (machine) => {
      await machine.pass(27 * MINUTE);
      await report(machine, CRASHED);
    },
    [
      '01:30:03 acknowledged failed',
      '01:30:03 committed rollback acme_lidar none → 1.2.3',
      '01:30:03 delivered rollback acme_lidar none → 1.2.3',
    ],
  ],
  [
    '[D37] the older versions crashed too, and a release is published later',
    async (machine) => {
      for (let releases = 3; releases > 0; releases--) {
        await report(machine, CRASHED);
        await machine.pass(SECOND);
      }
      await machine.pass(HOUR);
      machine.publish('acme:lidar', '1.2.5');
    },
    [
      '01:03:03 acknowledged failed',
      '01:03:03 committed rollback acme_lidar none → 1.2.3',
      '01:03:03 delivered rollback acme_lidar none → 1.2.3',
      '01:03:04 acknowledged failed',
      '01:03:04 committed rollback acme_lidar none → 1.2.2',
      '01:03:04 delivered rollback acme_lidar none → 1.2.2',
      '01:03:05 acknowledged failed',
      '02:03:33 committed rollback acme_lidar none → 1.2.5',
      '02:03:33 delivered rollback acme_lidar none → 1.2.5',
    ],
  ],
  [
    '[D37] it crashed at its start, and the agent started the previous version again',
    async (machine) => await report(machine, { ...CRASHED, running: '1.2.3' }),
    ['01:03:03 acknowledged failed'],
  ],
  [
    '[D38] it is unhealthy after hours',
    async (machine) => {
      await machine.deliveries.shift()?.done();
      await machine.pass(3 * HOUR);
      const failure = { version: '1.2.4', reason: 'no heartbeat', running: '1.2.4' };
      await machine.poller.reportFailure(targetNamed('acme_lidar'), failure);
    },
    [
      '01:03:03 acknowledged done',
      '04:03:03 failure reported of acme_lidar 1.2.4',
      '04:03:03 committed rollback acme_lidar 1.2.4 → 1.2.3',
      '04:03:03 delivered rollback acme_lidar 1.2.4 → 1.2.3',
    ],
  ],
  [
    '[T61] the download failed twice, or the disk is full',
    async (machine) => {
      await report(machine, NO_FILE);
      await machine.pass(MINUTE);
      await report(machine, NO_FILE);
    },
    [
      '01:03:03 acknowledged failed',
      '01:03:48 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
      '01:04:03 acknowledged failed',
      '01:05:33 delivered acme_lidar 1.2.3 → 1.2.4 again (3)',
    ],
  ],
  [
    '[T51] the download failed until the window closed',
    async (machine) => {
      await machine.pass(26 * MINUTE + 30 * SECOND);
      await report(machine, NO_FILE);
      await machine.pass(30 * MINUTE);
    },
    [
      '01:29:33 acknowledged failed',
      '01:30:00 superseded acme_lidar 1.2.3 → 1.2.4',
      '02:00:00 committed acme_lidar 1.2.3 → 1.2.4',
      '02:00:00 delivered acme_lidar 1.2.3 → 1.2.4',
    ],
  ],
  [
    '[T61] the download failed, and a newer release is published meanwhile',
    async (machine) => {
      await report(machine, NO_FILE);
      machine.publish('acme:lidar', '1.2.5');
    },
    [
      '01:03:03 acknowledged failed',
      '01:03:33 superseded acme_lidar 1.2.3 → 1.2.4',
      '01:03:33 committed acme_lidar 1.2.3 → 1.2.5',
      '01:03:33 delivered acme_lidar 1.2.3 → 1.2.5',
    ],
  ],
  [
    '[T55] the power failed, or an operator stopped the agent',
    async (machine) => await machine.restart(),
    ['01:03:33 delivered acme_lidar 1.2.3 → 1.2.4 again (2)'],
  ],
  [
    '[T55] the power came back after the window closed',
    async (machine) => {
      await machine.pass(27 * MINUTE);
      await machine.restart();
      await machine.pass(30 * MINUTE);
    },
    ['02:00:00 delivered acme_lidar 1.2.3 → 1.2.4 again (2)'],
  ],
])('%s', async (_, act, story) => {
  const machine = await upgrading();
  await act(machine);
  await machine.pass(10 * MINUTE);
  expect(machine.story()).toEqual(story);
});
