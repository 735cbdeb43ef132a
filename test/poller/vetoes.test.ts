import { describe, expect, it } from 'vitest';
import type { PollerOptions } from '../../src/poller/index.ts';
import { day, MINUTE, SECOND, type Day } from '../support/day.ts';
import { delivered, ROVER } from './support/rover.ts';

type Vetoes = NonNullable<PollerOptions['vetoes']>;

const HOLDS = { said: 'docking', isOverridable: false };

/** A machine whose map depends on its lidar, and both have a newer release. */
async function rover(vetoes: Vetoes, deployed = ROVER.deployed): Promise<Day> {
  return await day({ ...ROVER, ...(deployed && { deployed }), vetoes });
}

describe('[D77] before something is stopped', () => {
  it('what stops is asked, each time that it may be', async () => {
    const asked: (readonly string[])[] = [];
    const machine = await rover((names) => {
      asked.push(names);
      return [];
    });
    await machine.pass(MINUTE);
    expect(delivered(machine)).toEqual(['01:02:33 acme_lidar 1.0.0 → 1.1.0']);
    // For the plan, and for the delivery of the lidar, with which the map stops.
    expect(asked).toEqual([
      ['acme_map', 'acme_lidar'],
      ['acme_map', 'acme_lidar'],
    ]);
  });

  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      'what it depends on is not replaced, which would stop it',
      'acme_map',
      [],
      [
        '01:02:33 held upgrade of acme_map: acme_map must not be stopped now: docking',
        '01:02:33 held upgrade of acme_lidar: acme_map must not be stopped now: docking',
      ],
    ],
    [
      'what depends on it is, which does not stop it',
      'acme_lidar',
      ['01:02:33 acme_map 1.0.0 → 1.1.0'],
      ['01:02:33 held upgrade of acme_lidar: acme_lidar must not be stopped now: docking'],
    ],
    ['what it has nothing to do with is', 'acme_arm', ['01:02:33 acme_lidar 1.0.0 → 1.1.0'], []],
  ])('by which one says no: %s', async (_, by, expected, held) => {
    const machine = await rover(() => [{ by, ...HOLDS }]);
    await machine.pass(MINUTE);
    expect(delivered(machine)).toEqual(expected);
    expect(machine.begun()).toEqual(held);
  });

  it('what said no is asked again each five seconds while nothing else holds it', async () => {
    let isDocking = true;
    const machine = await rover(() => (isDocking ? [{ by: 'acme_lidar', ...HOLDS }] : []), {
      ...ROVER.deployed,
      acme_map: '1.1.0',
    });
    await machine.pass(MINUTE);
    isDocking = false;
    await machine.pass(5 * SECOND);
    expect(delivered(machine)).toEqual(['01:03:08 acme_lidar 1.0.0 → 1.1.0']);
  });

  it('nothing is asked for what a window holds anyway', async () => {
    let asked = 0;
    const maintenance = [{ start: '0 12 * * *', duration: '10m', time_zone: 'UTC' }];
    const machine = await day({
      ...ROVER,
      policy: { maintenance },
      vetoes: () => [{ by: `${++asked}`, ...HOLDS }],
    });
    await machine.pass(10 * MINUTE);
    expect(asked).toBe(0);
  });

  it.each<[string, unknown, string]>([
    ['throws', new Error('no connection'), 'Error: no connection'],
    ['returns a text', 'no', 'TypeError: vetoes(): found "no", expected a list of vetoes'],
    [
      'returns a veto of nothing',
      [{ said: 'docking' }],
      'TypeError: vetoes(): found nothing as by, expected the name of a module entry',
    ],
  ])('an agent that %s cannot say, so nothing is replaced', async (_, answer, error) => {
    const machine = await rover(() => {
      if (answer instanceof Error) throw answer;
      // A cast: an agent in JavaScript may return anything.
      return answer as readonly [];
    });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([`01:02:33 callback error: ${error}`]);
    expect(machine.begun()).toContain(
      '01:02:33 held upgrade of acme_lidar: the agent could not be asked whether maintenance is allowed',
    );
  });
});
