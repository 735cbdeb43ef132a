import { describe, expect, it } from 'vitest';
import { Poller } from '../../src/poller/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { openForPoller } from '../../src/store/index.ts';
import { day, HOUR, MINUTE, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
} as const satisfies DayOptions;

const BOTH = {
  machine: { modules: [entry('acme:lidar', '1.2.*'), entry('acme:arm', '2.*')] },
  deployed: { acme_lidar: '1.2.3', acme_arm: '2.4.0' },
  releases: { ...LIDAR.releases, 'acme:arm': [{ version: '2.4.0' }, { version: '2.5.0' }] },
} as const satisfies DayOptions;

describe('[T61] a consumer', () => {
  it('[D39] that does not acknowledge delays no other action, and keeps the action after the deadline', async () => {
    const machine = await day({ ...BOTH, acknowledgeWithinMs: 20 * MINUTE });
    await machine.pass(40 * MINUTE);
    expect(machine.story()).toEqual([
      '01:02:33 committed acme_lidar 1.2.3 → 1.2.4',
      '01:02:33 committed acme_arm 2.4.0 → 2.5.0',
      '01:02:33 delivered acme_lidar 1.2.3 → 1.2.4',
      '01:02:33 delivered acme_arm 2.4.0 → 2.5.0',
      '01:22:33 overdue acme_lidar 1.2.3 → 1.2.4',
      '01:22:33 overdue acme_arm 2.4.0 → 2.5.0',
    ]);
  });

  it('acknowledges once: later acknowledgements reject, and change nothing', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    const [delivery] = machine.deliveries;
    await delivery?.done();
    const outcome = { reason: 'no', running: '9.9.9', blame: 'release' } as const;
    await expect(delivery?.failed(outcome)).rejects.toThrow(
      /^failed\(\): the outcome of action \S+-1 of acme_lidar was already reported as done; the first report is kept$/,
    );
    expect(machine.story().slice(2)).toEqual(['01:03:03 acknowledged done']);
    expect(machine.state.memory().quarantine).toEqual([]);
    await machine.pass(MINUTE);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'up-to-date', target: '1.2.4' });
  });

  it('that blames the machine gets the same action again, with a growing back-off', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    const failure = { reason: 'the disk is full', running: '1.2.3', blame: 'machine' } as const;
    const ids: (string | undefined)[] = [];
    for (let time = 0; time < 3; time++) {
      const delivery = machine.deliveries.shift();
      ids.push(delivery?.action.id);
      await delivery?.failed(failure);
      await machine.pass(5 * MINUTE);
    }
    expect(new Set(ids).size).toBe(1);
    // After 45 s, 90 s and 180 s.
    expect(machine.story().filter((line) => line.includes('delivered'))).toEqual([
      '01:02:33 delivered acme_lidar 1.2.3 → 1.2.4',
      '01:03:48 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
      '01:09:33 delivered acme_lidar 1.2.3 → 1.2.4 again (3)',
      '01:16:03 delivered acme_lidar 1.2.3 → 1.2.4 again (4)',
    ]);
  });

  it('that does not know the deployed version gets no action until it is known', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    await machine.deliveries
      .shift()
      ?.failed({ reason: 'it burns', running: undefined, blame: 'machine' });
    await machine.pass(HOUR);
    expect(machine.deliveries).toEqual([]);
    expect(machine.state.decisions()[0]?.reason).toBe('the deployed version is not known');
  });
});

describe('[T18] a configuration that changes during an action', () => {
  it.each([
    ['pins another version', { modules: [entry('acme:lidar', '1.2.2')] }],
    ['removes the module', { modules: [] }],
    ['names another module', { modules: [entry('acme:other', '1.*', 'acme_lidar')] }],
  ])('and %s lets the action finish, and does not deliver it again', async (_, changed) => {
    const releases = {
      'acme:other': [{ version: '1.0.0' }],
      'acme:lidar': ['1.2.2', '1.2.3', '1.2.4'].map((version) => ({ version })),
    };
    const machine = await day({ ...LIDAR, releases });
    await machine.pass(MINUTE);
    machine.configure({ machine: changed });
    await machine.pass(10 * MINUTE);
    expect(machine.story().slice(2)).toEqual([]);
    await machine.restart();
    await machine.pass(2 * MINUTE);
    expect(machine.story()).toEqual(['01:13:33 withdrawn acme_lidar 1.2.3 → 1.2.4']);
    // Only the agent knows whether it was executed.
    expect(machine.state.memory().of(LIDAR_TARGET).deployed).toMatchObject({ kind: 'unknown' });
  });

  it('to a constraint below the deployed version leads to an action that is flagged as a downgrade', async () => {
    const machine = await day({
      ...LIDAR,
      deployed: { acme_lidar: '1.2.4' },
      releases: { 'acme:lidar': ['1.1.9', '1.2.4'].map((version) => ({ version })) },
    });
    await machine.pass(MINUTE);
    machine.configure({ machine: { modules: [entry('acme:lidar', '1.1.*')] } });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 committed downgrade acme_lidar 1.2.4 → 1.1.9',
      '01:03:33 delivered downgrade acme_lidar 1.2.4 → 1.1.9',
    ]);
    expect(machine.deliveries[0]?.action.reason.text).toBe(
      '1.2.4 is outside 1.1.*; newest patch of 1.1; a downgrade: module data is shared by all versions',
    );
  });

  it('and cannot be read is reported once, and the last one stays in force', async () => {
    const machine = await day(LIDAR);
    machine.configure({ machine: { modules: 'none' } });
    await machine.pass(5 * MINUTE);
    machine.configure({ machine: LIDAR.machine });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:02:33 configuration unreadable: Error: found text, expected a list of modules',
      '01:02:33 committed acme_lidar 1.2.3 → 1.2.4',
      '01:02:33 delivered acme_lidar 1.2.3 → 1.2.4',
      '01:07:33 configuration-readable',
    ]);
  });
});

const LIDAR_TARGET = { kind: 'module', name: 'acme_lidar', moduleId: 'acme:lidar' } as never;

/** A poller that nobody has started. */
function created(): Poller {
  return new Poller({
    file: openForPoller(':memory:'),
    configuration: async () => await Promise.reject(new Error('none')),
    registryFor: openRegistries().registryFor,
    platform: 'linux/arm64',
  });
}

describe('[D314] deliveries()', () => {
  it('that are read before start() reject, with a signal and without', async () => {
    const error = new Error(
      'deliveries(): this poller was not started, and plans nothing: call start()',
    );
    await expect(created().deliveries().next()).rejects.toThrow(error);
    const { signal } = new AbortController();
    await expect(created().deliveries(signal).next()).rejects.toThrow(error);
  });

  it('that are created before start(), and read after it, are those of the poller', async () => {
    const poller = created();
    const deliveries = poller.deliveries();
    poller.start();
    const next = deliveries.next();
    await poller.stop();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
