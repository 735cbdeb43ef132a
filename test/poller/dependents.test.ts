import { describe, expect, it } from 'vitest';
import type { FailureReport } from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { moduleId } from '../support/ask.ts';
import { day, HOUR, MINUTE, type DayOptions } from '../support/day.ts';
import { component, entry } from '../support/planned.ts';
import { promptRegistry } from '../support/racing.ts';
import { delivered, FLOOR, inHand, MAPPER, ROVER, saying, SCANNER } from './support/rover.ts';

const FAILED = { reason: 'no points for 30 s', running: '1.1.0', blame: 'release' } as const;
/** Another entry of the lidar's module, whose constraint no release matches. */
const SPARE = entry('acme:lidar', '7.*', 'spare');
const MAP_AT_ONCE = ['01:02:33 acme_map 1.0.0 → 1.1.0'];

describe('[T62] a module that needs another', () => {
  it('waits until that is done, is delivered in that second, and delays no other module', async () => {
    const machine = await day({ ...ROVER, deployed: { ...ROVER.deployed, acme_arm: '1.0.0' } });
    await machine.pass(5 * MINUTE);
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(0);
    expect(machine.story()).toEqual([
      '01:02:33 committed acme_lidar 1.0.0 → 1.1.0',
      '01:02:33 committed acme_map 1.0.0 → 1.1.0',
      '01:02:33 committed acme_arm 1.0.0 → 1.1.0',
      '01:02:33 delivered acme_lidar 1.0.0 → 1.1.0',
      '01:02:33 delivered acme_arm 1.0.0 → 1.1.0',
      '01:07:03 acknowledged done',
      '01:07:03 delivered acme_map 1.0.0 → 1.1.0',
    ]);
  });

  it.each<[string, readonly object[], readonly string[]]>([
    ['the module that it depends on', [SCANNER, FLOOR], ['acme_lidar']],
    [
      'a module that it depends on indirectly, also through the server',
      [
        SCANNER,
        component('base', 'wheeled', 'scanner'),
        component('gripper', 'acme:arm:x', 'base'),
        component('floor', 'acme:map:grid', 'gripper'),
      ],
      ['acme_lidar'],
    ],
    [
      'no module that only another component of its dependency needs',
      [
        SCANNER,
        component('gripper', 'acme:arm:x', 'scanner'),
        component('wrist', 'acme:arm:x'),
        component('floor', 'acme:map:grid', 'wrist'),
      ],
      ['acme_map', 'acme_lidar'],
    ],
    [
      'no module that depends on it',
      [component('scanner', 'acme:lidar:vlp16', 'floor'), component('floor', 'acme:map:grid')],
      ['acme_map'],
    ],
    [
      'none of its own components',
      [component('a', 'acme:map:x', 'b'), component('b', 'acme:map:x')],
      ['acme_map', 'acme_lidar'],
    ],
  ])('waits for %s', async (_, components, names) => {
    const machine = await day({ ...ROVER, machine: { ...ROVER.machine, components } });
    await machine.pass(20 * MINUTE);
    expect(delivered(machine)).toEqual(names.map((name) => `01:02:33 ${name} 1.0.0 → 1.1.0`));
  });

  it('names the module that it waits for in its reason, while it waits', async () => {
    const machine = await day(ROVER);
    await machine.pass(MINUTE);
    const [before] = machine.state.decisions();
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(0);
    const [after] = machine.state.decisions();
    expect([before?.reason, after?.reason]).toEqual([
      'newest release of 1; waits for acme_lidar, which it depends on',
      'newest release of 1',
    ]);
  });

  it('names no module in its reason if it was delivered before the one that it needs', async () => {
    const machine = await day(MAPPER);
    await machine.pass(MINUTE);
    machine.publish('acme:lidar', '1.2.0');
    await machine.pass(2 * MINUTE);
    expect(machine.deliveries).toHaveLength(2);
    const [map] = machine.state.decisions();
    expect(map?.reason).toBe('cooling down after a restart until 2026-11-21T01:07:33Z');
  });
});

describe('[T62] a module that needs a failed one is not restarted before that works:', () => {
  it.each<[string, Omit<FailureReport, 'reason'>, readonly string[]]>([
    [
      'the previous version is deployed',
      { running: '1.0.0', blame: 'release' },
      ['01:03:03 acme_map 1.0.0 → 1.1.0'],
    ],
    [
      'the new version is deployed until it is rolled back',
      { running: '1.1.0', blame: 'release' },
      ['01:03:03 rollback acme_lidar 1.1.0 → 1.0.0', '01:13:03 acme_map 1.0.0 → 1.1.0'],
    ],
    [
      'nothing is deployed until the rollback (D37)',
      { running: null, blame: 'release' },
      ['01:03:03 rollback acme_lidar none → 1.0.0', '01:13:03 acme_map 1.0.0 → 1.1.0'],
    ],
    [
      'the deployed version is unknown until the rollback (D37)',
      { running: undefined, blame: 'release' },
      ['01:03:03 rollback acme_lidar none → 1.0.0', '01:13:03 acme_map 1.0.0 → 1.1.0'],
    ],
    [
      'the machine failed, until the action is delivered again and done',
      { running: '1.0.0', blame: 'machine' },
      ['01:03:48 acme_lidar 1.0.0 → 1.1.0 again (2)', '01:13:03 acme_map 1.0.0 → 1.1.0'],
    ],
    [
      'the machine failed, and the deployed version is unknown',
      { running: undefined, blame: 'machine' },
      [],
    ],
  ])('%s', async (_, failure, deliveries) => {
    const machine = await day(ROVER);
    await machine.pass(MINUTE);
    const first = inHand(machine, 'acme_lidar');
    machine.story();
    await first.failed({ ...FAILED, ...failure });
    await machine.pass(10 * MINUTE);
    const second = inHand(machine, 'acme_lidar');
    if (second !== first) await second.done();
    await machine.pass(10 * MINUTE);
    expect(delivered(machine)).toEqual(deliveries);
  });

  it('the deployed version is unknown until the agent reports it', async () => {
    let isKnown = false;
    const deployedVersion = (): unknown => (isKnown ? '1.0.0' : undefined);
    const machine = await day({ ...ROVER, deployedVersion });
    await machine.pass(MINUTE);
    const unknown = { ...FAILED, running: undefined, blame: 'machine' } as const;
    await inHand(machine, 'acme_lidar').failed(unknown);
    await machine.pass(HOUR);
    isKnown = true;
    machine.story();
    machine.poller.look();
    await machine.pass(0);
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(0);
    expect(delivered(machine)).toEqual([
      '02:03:03 acme_lidar 1.0.0 → 1.1.0 again (2)',
      '02:03:03 acme_map 1.0.0 → 1.1.0',
    ]);
  });

  it('the module cannot be rolled back, until its quarantine ends', async () => {
    const machine = await day({
      ...ROVER,
      policy: { quarantine: '1h' },
      releases: { ...ROVER.releases, 'acme:map': [{ version: '1.0.0' }] },
    });
    await machine.pass(MINUTE);
    machine.registry.catalogue.yank(moduleId('acme:lidar'), '1.0.0', 'too hot');
    await machine.pass(MINUTE);
    await inHand(machine, 'acme_lidar').failed(FAILED);
    machine.publish('acme:map', '1.1.0');
    machine.story();
    await machine.pass(HOUR);
    expect(delivered(machine)).toEqual(['02:04:03 acme_map 1.0.0 → 1.1.0']);
  });

  it('the module cannot be rolled back, until its deployed version has another digest', async () => {
    let digest = 'sha256:aa';
    const readAll: PollableRegistry['readAll'] = async (ids) => {
      const records = [{ version: '1.1.0', artifacts: [{ platform: 'any', digest }] }];
      const rest = { dropped: [], source: 'network', from: 'a registry', fetchedAt: 1 } as const;
      const value = { ...rest, records };
      return await Promise.resolve(new Map(ids.map((id) => [id, { ok: true, value }])));
    };
    const registry = { ...promptRegistry(() => 0), readAll };
    const machine = await day({ ...ROVER, registryFor: () => registry });
    await machine.pass(MINUTE);
    await inHand(machine, 'acme_lidar').failed(FAILED);
    await machine.pass(HOUR);
    digest = 'sha256:bb';
    await machine.pass(MINUTE);
    expect(delivered(machine)).toEqual([
      '01:02:33 acme_lidar 1.0.0 → 1.1.0',
      '02:03:33 acme_map 1.0.0 → 1.1.0',
    ]);
  });
});

describe('[T62] a module that another needs, and that', () => {
  it.each<[string, Partial<DayOptions>, readonly string[]]>([
    [
      'was never deployed and has no release, keeps that waiting',
      {
        deployed: { acme_map: '1.0.0', acme_lidar: null },
        releases: { ...ROVER.releases, 'acme:lidar': [] },
      },
      [],
    ],
    [
      'has a second entry with nothing deployed, does too',
      {
        machine: { ...ROVER.machine, modules: [...ROVER.machine.modules, SPARE] },
        deployed: { acme_map: '1.0.0', acme_lidar: '1.1.0' },
        deployedVersion: saying('spare', null),
      },
      [],
    ],
    ['was never updated or reported, does not', { deployed: { acme_map: '1.0.0' } }, MAP_AT_ONCE],
    [
      'has a deployed text that is not a version, does not',
      { deployed: { ...ROVER.deployed, acme_lidar: 'a build of mine' } },
      MAP_AT_ONCE,
    ],
  ])('%s', async (_, more, deliveries) => {
    const machine = await day({ ...ROVER, ...more });
    await machine.pass(20 * MINUTE);
    expect(delivered(machine).filter((line) => line.includes('acme_map'))).toEqual(deliveries);
  });

  it('became a local module after its version was unknown, does not', async () => {
    const machine = await day({ ...ROVER });
    await machine.pass(MINUTE);
    const unknown = { ...FAILED, running: undefined, blame: 'machine' } as const;
    await inHand(machine, 'acme_lidar').failed(unknown);
    await machine.pass(10 * MINUTE);
    const [map, , arm] = ROVER.machine.modules;
    const local = { type: 'local', name: 'acme_lidar', module_id: 'acme:lidar' };
    const executable = { executable_path: '/opt/lidar' };
    machine.configure({
      machine: { ...ROVER.machine, modules: [map, { ...local, ...executable }, arm] },
    });
    machine.story();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:13:33 superseded acme_lidar 1.0.0 → 1.1.0',
      '01:13:33 delivered acme_map 1.0.0 → 1.1.0',
    ]);
  });
});

describe('[T62] a rollback', () => {
  it('does not wait for a module that it needs', async () => {
    const machine = await day(MAPPER);
    await machine.pass(MINUTE);
    machine.publish('acme:lidar', '1.2.0');
    await machine.pass(MINUTE);
    machine.story();
    await inHand(machine, 'acme_map').failed(FAILED);
    await machine.pass(0);
    expect(machine.story()).toEqual([
      '01:04:03 acknowledged failed',
      '01:04:03 committed rollback acme_map 1.1.0 → 1.0.0',
      '01:04:03 delivered rollback acme_map 1.1.0 → 1.0.0',
    ]);
  });
});
