import { expect, it } from 'vitest';
import type { PollerOptions } from '../../src/poller/index.ts';
import { day, SECOND, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';

/** A machine on which nothing is recorded. */
const NEW = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
};

/** How many rounds have begun at each of these times, in seconds after the start of the poller. */
async function roundsAt(machine: Day, ...seconds: readonly number[]): Promise<number[]> {
  const { requests } = machine.registry;
  const before = requests.length;
  const from = machine.clock.now();
  const counts: number[] = [];
  for (const second of seconds) {
    await machine.pass(from + second * SECOND - machine.clock.now());
    const asked = requests.slice(before).filter((request) => request.startsWith('GET /v1/changes'));
    counts.push(asked.length);
  }
  return counts;
}

it('[D73] the first round of a new machine is at once, and the second one when the first would have been', async () => {
  const machine = await day(NEW);
  expect(await roundsAt(machine, 0, 29, 30, 89, 90)).toEqual([1, 1, 2, 2, 3]);
});

it('[D73] a new machine whose registry does not answer asks again within 5 to 10 s, with back-off, until it has an answer', async () => {
  const machine = await day(NEW);
  // A round sends three requests if they fail.
  machine.registry.break({ kind: 'offline', times: 9 });
  const seconds = [0, 7, 8, 22, 23, 52, 53, 112, 113];
  expect(await roundsAt(machine, ...seconds)).toEqual([3, 3, 6, 6, 9, 9, 10, 10, 11]);
});

it('[D73] a later start begins after a part of an interval, also if nothing is deployed yet', async () => {
  const machine = await day(NEW);
  await machine.pass(0);
  await machine.restart();
  expect(await roundsAt(machine, 0, 29, 30, 89, 90)).toEqual([0, 0, 1, 1, 2]);
});

it('[D73, D28] a new machine with a fast start begins one interval later than any other', async () => {
  const machine = await day({ ...NEW, environment: { PLATFORM_AGENT_FAST_START: '1' } });
  expect(await roundsAt(machine, 0, 30, 89, 90)).toEqual([0, 0, 0, 1]);
});

it.each<[string, PollerOptions['deployedVersion'], readonly string[]]>([
  [
    'acts in its first round if the agent says what is deployed',
    ({ kind }) => (kind === 'module' ? '1.2.3' : undefined),
    ['01:02:03 committed acme_lidar 1.2.3 → 1.2.4', '01:02:03 delivered acme_lidar 1.2.3 → 1.2.4'],
  ],
  [
    'installs in its first round if the agent says that nothing is deployed',
    ({ kind }) => (kind === 'module' ? null : undefined),
    [
      '01:02:03 committed install acme_lidar none → 1.2.4',
      '01:02:03 delivered install acme_lidar none → 1.2.4',
    ],
  ],
  [
    'looks first if the agent does not know what is deployed',
    () => undefined,
    ['01:02:03 observe-only, next round at 01:02:33'],
  ],
])('[D73] a new machine %s', async (_, deployedVersion, story) => {
  const machine = await day({ ...NEW, deployedVersion });
  await machine.pass(0);
  expect(machine.story()).toEqual(story);
});
