import { describe, expect, it } from 'vitest';
import { moduleId, version } from '../support/ask.ts';
import { day, MINUTE, SECOND, targetNamed } from '../support/day.ts';
import { component, entry } from '../support/planned.ts';
import { delivered, inHand, MAPPER, ROVER, saying } from './support/rover.ts';

describe('[T62] an action is delivered as soon as the action that it waits for', () => {
  it('is superseded', async () => {
    const machine = await day(ROVER);
    await machine.pass(MINUTE);
    const outcome = { reason: 'no space', running: '1.0.0', blame: 'machine' } as const;
    await inHand(machine, 'acme_lidar').failed(outcome);
    const [map, , arm] = ROVER.machine.modules;
    const modules = [map, entry('acme:lidar', '1.0.0'), arm];
    machine.configure({ machine: { ...ROVER.machine, modules } });
    await machine.pass(0);
    machine.story();
    await machine.pass(30 * SECOND);
    expect(machine.story()).toEqual([
      '01:03:33 superseded acme_lidar 1.0.0 → 1.1.0',
      '01:03:33 delivered acme_map 1.0.0 → 1.1.0',
    ]);
  });

  it('is superseded because its window has closed, and not before', async () => {
    const maintenance = [{ start: '0 * * * *', duration: '10m', time_zone: 'UTC' }];
    const policy = { modules: { acme_lidar: { maintenance } } };
    const machine = await day({ ...ROVER, policy, takesUp: 'later' });
    await machine.pass(MINUTE);
    // The clock jumps without waking anything.
    machine.clock.set(Date.parse('2026-11-21T01:10:00Z'));
    void machine.poller.deliveries().next();
    await machine.pass(29 * SECOND);
    const before = delivered(machine);
    await machine.pass(SECOND);
    expect([before, machine.story()]).toEqual([
      [],
      ['01:10:30 superseded acme_lidar 1.0.0 → 1.1.0', '01:10:30 delivered acme_map 1.0.0 → 1.1.0'],
    ]);
  });

  it('is withdrawn, and the agent reports the deployed version', async () => {
    const machine = await day({ ...ROVER, deployedVersion: saying('acme_lidar', '1.0.0') });
    await machine.pass(MINUTE);
    machine.registry.catalogue.yank(moduleId('acme:lidar'), '1.1.0', 'stops the motor');
    await machine.restart();
    machine.story();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 withdrawn acme_lidar 1.0.0 → 1.1.0',
      '01:03:33 delivered acme_map 1.0.0 → 1.1.0',
    ]);
  });
});

describe('[T62] the action of a needed module is delivered first', () => {
  it('even if a newer release replaced it', async () => {
    const machine = await day({ ...ROVER, takesUp: 'later' });
    await machine.pass(MINUTE);
    machine.publish('acme:lidar', '1.2.0');
    await machine.pass(MINUTE);
    machine.story();
    const consumer = machine.poller.deliveries();
    const first = await consumer.next();
    const second = consumer.next();
    await machine.pass(0);
    const before = machine.story();
    await first.value?.done();
    await machine.pass(0);
    expect([before, machine.story()]).toEqual([
      ['01:04:03 delivered acme_lidar 1.0.0 → 1.2.0'],
      ['01:04:03 acknowledged done', '01:04:03 delivered acme_map 1.0.0 → 1.1.0'],
    ]);
    void second;
  });

  it('even if it was committed while the agent was asked about maintenance', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answers: (boolean | Promise<boolean>)[] = [true, promise];
    const isMaintenanceAllowed = (): unknown => answers.shift() ?? true;
    const machine = await day({ ...MAPPER, takesUp: 'later', isMaintenanceAllowed });
    await machine.pass(87 * SECOND);
    machine.publish('acme:lidar', '1.2.0');
    void machine.poller.deliveries().next();
    await machine.pass(5 * SECOND);
    resolve(true);
    await machine.pass(0);
    expect(machine.story()).toEqual([
      '01:02:33 committed acme_map 1.0.0 → 1.1.0',
      '01:03:33 committed acme_lidar 1.1.0 → 1.2.0',
      '01:03:35 delivered acme_lidar 1.1.0 → 1.2.0',
    ]);
  });

  it('and the agent is not asked about maintenance for the waiting action', async () => {
    const machine = await day({
      ...ROVER,
      deployed: { ...ROVER.deployed, acme_arm: '1.0.0' },
      isMaintenanceAllowed: async () => {
        await machine.clock.sleep(SECOND);
        return true;
      },
    });
    await machine.pass(MINUTE);
    expect(delivered(machine)).toEqual([
      '01:02:35 acme_lidar 1.0.0 → 1.1.0',
      '01:02:36 acme_arm 1.0.0 → 1.1.0',
    ]);
  });
});

describe('[T62] after a restart', () => {
  it('an action that may be half done is delivered again, after the action that it needs', async () => {
    const machine = await day(MAPPER);
    await machine.pass(MINUTE);
    machine.publish('acme:lidar', '1.2.0');
    await machine.pass(MINUTE);
    await machine.restart();
    machine.story();
    await machine.pass(MINUTE);
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(0);
    expect(machine.story()).toEqual([
      '01:04:33 delivered acme_lidar 1.1.0 → 1.2.0 again (2)',
      '01:05:03 acknowledged done',
      '01:05:03 delivered acme_map 1.0.0 → 1.1.0 again (2)',
    ]);
  });

  it('an action that is no longer wanted is withdrawn at once', async () => {
    const machine = await day(MAPPER);
    await machine.pass(MINUTE);
    machine.publish('acme:lidar', '1.2.0');
    await machine.pass(MINUTE);
    machine.registry.catalogue.yank(moduleId('acme:map'), '1.1.0', 'draws walls');
    await machine.restart();
    machine.story();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:04:33 withdrawn acme_map 1.0.0 → 1.1.0',
      '01:04:33 delivered acme_lidar 1.1.0 → 1.2.0 again (2)',
    ]);
  });
});

/** Modules that need each other, each through a separate component. */
const TWO = [
  component('a', 'acme:map:x', 'b'),
  component('b', 'acme:lidar:x'),
  component('c', 'acme:lidar:y', 'd'),
  component('d', 'acme:map:y'),
];
const THREE = [
  component('a', 'acme:map:x', 'b'),
  component('b', 'acme:lidar:x'),
  component('c', 'acme:lidar:y', 'd'),
  component('d', 'acme:arm:x'),
  component('e', 'acme:arm:y', 'f'),
  component('f', 'acme:map:y'),
];

describe('[T62] modules that need each other are updated in the order of the plan', () => {
  it.each<[string, readonly object[], string | null, readonly string[]]>([
    ['two upgrades', TWO, '1.0.0', ['map arm', 'lidar']],
    ['two first installs', TWO, null, ['map arm', 'lidar']],
    ['three upgrades', THREE, '1.0.0', ['map lidar', 'arm']],
    ['three first installs', THREE, null, ['map lidar', 'arm']],
  ])('%s', async (_, components, deployed, names) => {
    const machine = await day({
      ...ROVER,
      machine: { ...ROVER.machine, components },
      deployed: { acme_map: deployed, acme_lidar: deployed, acme_arm: deployed },
    });
    const deliveredNames = (): string =>
      machine.deliveries.map(({ action }) => action.target.name.slice('acme_'.length)).join(' ');
    await machine.pass(MINUTE);
    const before = deliveredNames();
    const [first] = machine.deliveries.splice(0);
    await first?.done();
    await machine.pass(0);
    expect([before, deliveredNames()]).toEqual(names);
  });

  it('even if one is not deployed, once it has a release', async () => {
    const machine = await day({
      ...ROVER,
      machine: { ...ROVER.machine, components: TWO },
      deployed: { ...ROVER.deployed, acme_lidar: null },
      releases: { ...ROVER.releases, 'acme:lidar': [] },
    });
    await machine.pass(10 * MINUTE);
    const before = delivered(machine);
    machine.publish('acme:lidar', '1.0.0');
    await machine.pass(MINUTE);
    expect([before, delivered(machine)]).toEqual([[], ['01:12:33 acme_map 1.0.0 → 1.1.0']]);
  });

  it('and a module with two entries by the first of them', async () => {
    const modules = [...ROVER.machine.modules, entry('acme:map', '1.*', 'spare')];
    const machine = await day({
      ...ROVER,
      machine: { components: TWO, modules },
      deployed: { acme_map: '1.0.0', acme_lidar: '1.0.0' },
      deployedVersion: saying('spare', '1.0.0'),
    });
    await machine.pass(MINUTE);
    await inHand(machine, 'acme_map').done();
    await machine.pass(SECOND);
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(0);
    expect(delivered(machine)).toEqual([
      '01:02:33 acme_map 1.0.0 → 1.1.0',
      '01:03:03 acme_lidar 1.0.0 → 1.1.0',
      '01:03:04 spare 1.0.0 → 1.1.0',
    ]);
  });

  it('but none is restarted while a failed action leaves the version of another unknown', async () => {
    const machine = await day({ ...MAPPER, machine: { ...ROVER.machine, components: TWO } });
    await machine.pass(MINUTE);
    const noSpace = { reason: 'no space', running: '1.0.0', blame: 'machine' } as const;
    await inHand(machine, 'acme_map').failed(noSpace);
    const rolledBack = { from: version('1.1.0'), to: version('1.0.0') };
    machine.state.rollBack(targetNamed('acme_lidar'), rolledBack, {
      at: machine.clock.now(),
      until: undefined,
    });
    machine.poller.look();
    await machine.pass(0);
    await inHand(machine, 'acme_lidar').failed({ ...noSpace, running: undefined });
    machine.story();
    await machine.pass(10 * MINUTE);
    expect(machine.story()).toEqual([]);
  });
});
