import { expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': ['1.2.3', '1.2.4'] },
} as const satisfies DayOptions;
const FAILURE = { reason: 'hot', running: '1.2.3' } as const;

/** What a machine does half a minute after it got the action to upgrade acme:lidar, at 01:02:33. */
const STARTS: Readonly<Record<string, readonly [DayOptions, (machine: Day) => unknown]>> = {
  cooldown: [
    LIDAR,
    async (machine) => {
      await machine.deliveries.shift()?.done();
      machine.publish('acme:lidar', '1.2.5');
    },
  ],
  quarantine: [
    { ...LIDAR, policy: { quarantine: '6m' } },
    async ({ deliveries }) => await deliveries.shift()?.failed({ ...FAILURE, blame: 'release' }),
  ],
  'back-off of 45 s': [
    LIDAR,
    async ({ deliveries }) => await deliveries.shift()?.failed({ ...FAILURE, blame: 'machine' }),
  ],
  'minimum age of 4 min': [
    { ...LIDAR, policy: { minimum_release_age: '4m' }, releases: { 'acme:lidar': ['1.2.3'] } },
    (machine) => machine.publish('acme:lidar', '1.2.4'),
  ],
  'deadline of 20 min': [{ ...LIDAR, acknowledgeWithinMs: 20 * MINUTE }, () => undefined],
};

/** During what, by how much the clock is set back, whether the agent starts again then, and what happens. */
it.each<[string, number, 'agent starts again' | 'same process', string]>([
  // The process measures a cooldown on its monotonic clock.
  ['cooldown', 2 * MINUTE, 'same process', '01:05:33 delivered acme_lidar 1.2.4 → 1.2.5'],
  ['cooldown', HOUR, 'same process', '00:07:33 delivered acme_lidar 1.2.4 → 1.2.5'],
  // Another process has only the time in the file, and ignores it if the clock was wrong then.
  ['cooldown', 2 * MINUTE, 'agent starts again', '01:07:33 delivered acme_lidar 1.2.4 → 1.2.5'],
  ['cooldown', HOUR, 'agent starts again', '00:03:33 delivered acme_lidar 1.2.4 → 1.2.5'],
  // A quarantine ends at a time of day, and so does an age: that it began before this clock says so makes no release older (D58).
  ['quarantine', 2 * MINUTE, 'same process', '01:09:03 delivered acme_lidar 1.2.3 → 1.2.4'],
  ['quarantine', 2 * MINUTE, 'agent starts again', '01:09:03 delivered acme_lidar 1.2.3 → 1.2.4'],
  [
    'minimum age of 4 min',
    2 * MINUTE,
    'same process',
    '01:07:03 delivered acme_lidar 1.2.3 → 1.2.4',
  ],
  [
    'minimum age of 4 min',
    2 * MINUTE,
    'agent starts again',
    '01:07:03 delivered acme_lidar 1.2.3 → 1.2.4',
  ],
  // No back-off is longer than 15 minutes, so a longer one is ignored.
  [
    'back-off of 45 s',
    14 * MINUTE,
    'same process',
    '01:03:48 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
  ],
  [
    'back-off of 45 s',
    15 * MINUTE,
    'same process',
    '00:48:33 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
  ],
  [
    'back-off of 45 s',
    14 * MINUTE,
    'agent starts again',
    '01:03:48 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
  ],
  [
    'back-off of 45 s',
    15 * MINUTE,
    'agent starts again',
    '00:48:33 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
  ],
  ['deadline of 20 min', HOUR, 'same process', '00:22:33 overdue acme_lidar 1.2.3 → 1.2.4'],
])('[T50] during a %s the clock is set back by %i ms, %s', async (what, ms, process, expected) => {
  const [options, begin] = STARTS[what] ?? [LIDAR, () => undefined];
  const machine = await day(options);
  await machine.pass(MINUTE);
  await begin(machine);
  await machine.pass(0);
  machine.clock.set(machine.clock.now() - ms);
  if (process === 'agent starts again') await machine.restart();
  machine.story();
  const until = Date.parse(`2026-11-21T${expected.slice(0, 8)}Z`);
  // It happens in its second, and not before.
  await machine.pass(until - machine.clock.now() - 1);
  const before = machine.story();
  await machine.pass(SECOND);
  expect([before, machine.story().at(-1)]).toEqual([[], expected]);
});
