import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { day, HOUR } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const DAY = 24 * HOUR;
/** Each New Year. */
const maintenance = [{ start: '0 0 1 1 *', duration: '1h', time_zone: 'UTC' }];

it.each<[string, number, readonly string[]]>([
  [
    'longer than a week, also if a newer release is selected meanwhile',
    8 * DAY,
    [
      '',
      'acme_lidar: a replacement has been held for 7 d 12 h; modreg why acme_lidar shows its reasons',
    ],
  ],
  ['a week', 7 * DAY, []],
])('modreg status shows what is held for %s', async (_, ms, lines) => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
    policy: { maintenance },
    intervalMs: DAY,
  });
  await machine.pass(2 * DAY);
  machine.publish('acme:lidar', '1.2.5');
  await machine.pass(ms - 2 * DAY);
  const world = { environment: { PLATFORM_HOME: machine.home }, clock: () => machine.clock.now() };
  const { stdout } = await printed(['status'], world);
  expect(stdout.slice(4)).toEqual([...lines, '', 'Begin now: modreg upgrade acme:lidar --now']);
  const { stdout: json } = await printed(['status', '--json'], world);
  expect(JSON.parse(json.join(''))).toMatchObject({
    targets: [{ target: '1.2.5', held_since: '2026-11-21T13:02:03Z' }],
  });
});
