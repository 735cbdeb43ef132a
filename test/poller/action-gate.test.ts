import { describe, expect, it } from 'vitest';
import type { PollerOptions } from '../../src/poller/index.ts';
import type { MachineMemory } from '../../src/core/plan/machine-memory.ts';
import { ActionGate } from '../../src/poller/action-gate.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { version } from '../support/ask.ts';
import { day, MINUTE, SECOND, targetNamed, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
} as const satisfies DayOptions;

const BLANK: MachineMemory = {
  open: [],
  quarantine: [],
  holds: [],
  starts: [],
  isBlank: true,
  of: () => {
    throw new Error('the gate looks at no target');
  },
};

const noModule: PollerOptions['deployedVersion'] = ({ kind }) =>
  kind === 'module' ? null : undefined;

describe('[T57] an agent that starts', () => {
  it('five times in ten minutes commits nothing until the first start is ten minutes ago', async () => {
    const machine = await day({ ...LIDAR, random: () => 0.5, takesUp: 'later' });
    for (let killed = 1; killed <= 4; killed++) {
      machine.state.start(machine.clock.now());
      await machine.pass(SECOND);
    }
    await machine.restart();
    const next = machine.poller.deliveries().next();
    await machine.pass(9 * MINUTE);
    expect(machine.story()).toEqual(['01:02:07 crash loop until 01:12:03']);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'upgrade', target: '1.2.4' });
    await machine.pass(2 * MINUTE);
    expect(machine.story()).toEqual([
      '01:12:37 committed acme_lidar 1.2.3 → 1.2.4',
      '01:12:37 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
    expect((await next).value).toMatchObject({ times: 1 });
  });

  it('five times in ten minutes is reported again if the clock is set back into them', () => {
    const events: string[] = [];
    const clock = virtualClock(20 * MINUTE);
    const gate = new ActionGate(clock, ({ kind }) => events.push(kind));
    const memory = { ...BLANK, isBlank: false, starts: [1, 2, 3, 4, 5].map((s) => s * SECOND) };
    const acts = [9, 9, 20, 9].map((minutes) => {
      clock.set(minutes * MINUTE);
      return gate.mayAct(memory, 1);
    });
    expect([acts, events]).toEqual([
      [false, false, true, false],
      ['crash-loop', 'crash-loop'],
    ]);
  });

  it('four times in ten minutes acts as usual', async () => {
    const machine = await day(LIDAR);
    for (let killed = 1; killed <= 3; killed++) machine.state.start(machine.clock.now());
    await machine.restart();
    await machine.pass(MINUTE);
    expect(machine.deliveries).toHaveLength(1);
  });

  it('any number of times after clean ends acts as usual', async () => {
    const machine = await day(LIDAR);
    for (let start = 2; start <= 12; start++) await machine.restart();
    expect(machine.state.memory().starts).toHaveLength(1);
    await machine.pass(MINUTE);
    expect(machine.deliveries).toHaveLength(1);
  });

  it('after clean ends still counts the four before that were killed', async () => {
    const machine = await day({ ...LIDAR, takesUp: 'later' });
    for (let killed = 1; killed <= 4; killed++) machine.state.start(machine.clock.now());
    for (let start = 2; start <= 12; start++) await machine.restart();
    expect(machine.state.memory().starts).toHaveLength(5);
  });
});

describe('[T53] a memory that is blank, or that cannot be read at the start,', () => {
  it.each([{ isBlank: true }, undefined])(
    '%o allows nothing in the round of the first plan',
    (known) => {
      const events: string[] = [];
      const gate = new ActionGate(virtualClock(), ({ kind }) => events.push(kind));
      const memory = { ...BLANK, ...known };
      gate.begin(known && memory, { isNew: false });
      const commits = (rounds: number): boolean =>
        gate.mayCommit(memory, { rounds, nextRoundAt: 7 });
      const acts = [gate.mayAct(memory, 1), commits(2), commits(2), gate.mayAct(memory, 2)];
      expect(acts).toEqual([false, false, false, false]);
      expect([gate.mayAct(memory, 3), commits(3)]).toEqual([true, true]);
      expect(events).toEqual(['observe-only']);
    },
  );

  it('is not one that has a deployed version', () => {
    const events: string[] = [];
    const gate = new ActionGate(virtualClock(), ({ kind }) => events.push(kind));
    const memory = { ...BLANK, isBlank: false };
    gate.begin(memory, { isNew: false });
    const commits = gate.mayCommit(memory, { rounds: 1, nextRoundAt: 7 });
    expect([gate.mayAct(memory, 1), commits, events]).toEqual([true, true, []]);
  });
});

describe('a deployed version', () => {
  it('is unknown while the agent cannot say it, and the error is reported', async () => {
    const { deployed: _, ...blank } = LIDAR;
    let isKnown = false;
    const deployedVersion: PollerOptions['deployedVersion'] = ({ kind }) => {
      if (kind === 'subsystem') return undefined;
      if (!isKnown) throw new Error('no idea');
      return '1.2.3';
    };
    const machine = await day({ ...blank, deployedVersion });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:02:03 callback error: Error: no idea',
      '01:02:03 observe-only, next round at 01:02:33',
      '01:02:33 callback error: Error: no idea',
    ]);
    isKnown = true;
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 committed acme_lidar 1.2.3 → 1.2.4',
      '01:03:33 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
  });

  it('[T53] is requested from the agent if the memory was lost, and one round is observe-only', async () => {
    const { deployed: _, ...blank } = LIDAR;
    const asked: string[] = [];
    const machine = await day({
      ...blank,
      isLost: true,
      deployedVersion: ({ name }) => {
        asked.push(name);
        return name === 'acme_lidar' ? '1.2.3' : undefined;
      },
    });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual(['01:02:33 observe-only, next round at 01:03:33']);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'upgrade', target: '1.2.4' });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 committed acme_lidar 1.2.3 → 1.2.4',
      '01:03:33 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
    expect(asked.filter((name) => name === 'acme_lidar')).toHaveLength(1);
  });

  it('[T53] leads to no action before the first plan was observed, however many rounds began', async () => {
    const asked = ['acme:lidar', 'acme:arm'].map((id) => entry(id, '1.2.*'));
    const machine = await day({
      machine: { modules: asked },
      isLost: true,
      releases: { 'acme:lidar': [{ version: '1.2.4' }], 'acme:arm': [{ version: '1.2.4' }] },
      intervalMs: 5 * SECOND,
      deployedVersion: ({ kind, name }) => {
        if (kind === 'subsystem') return undefined;
        return name === 'acme_lidar' ? '1.2.3' : null;
      },
      // So that the first plan takes as long as two rounds.
      isMaintenanceAllowed: async () => await new Promise(() => undefined),
    });
    await machine.pass(13 * SECOND);
    expect(machine.story()).toEqual(['01:02:15 observe-only, next round at 01:02:15']);
    expect(machine.state.decisions()[1]).toMatchObject({ decision: 'install', target: '1.2.4' });
    await machine.pass(20 * SECOND);
    expect(machine.story()).toContain('01:02:25 committed install acme_arm none → 1.2.4');
  });

  it('is not requested before a registry has answered', async () => {
    const { deployed: _, ...blank } = LIDAR;
    const asked: string[] = [];
    const machine = await day({
      ...blank,
      registryFor: () => ({ read: async () => await new Promise(() => undefined) }),
      deployedVersion: ({ name }) => asked.push(name),
    });
    await machine.pass(5 * MINUTE);
    expect(asked).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['a number', () => 7],
    ['nothing in time', async () => await new Promise(() => undefined)],
  ])('is unknown, and not replaced, if the agent returns %s (D14)', async (_, deployedVersion) => {
    const { deployed: __, ...blank } = LIDAR;
    const machine = await day({ ...blank, deployedVersion });
    await machine.pass(5 * MINUTE);
    expect(machine.deliveries).toEqual([]);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'stuck' });
  });

  it('is missing if the agent returns null, and the module is installed (D14)', async () => {
    const { deployed: _, ...blank } = LIDAR;
    const machine = await day({ ...blank, deployedVersion: () => null });
    await machine.pass(3 * MINUTE);
    expect(machine.deliveries.map(({ action }) => action)).toMatchObject([
      { direction: 'install', to: '1.2.4' },
    ]);
  });

  it.each<[string | null | undefined, number, string[]]>([
    [null, 1, ['rollback undefined → 1.2.3']],
    ['1.2.2', 1, ['rollback 1.2.2 → 1.2.3']],
    [undefined, 2, ['rollback undefined → 1.2.3']],
  ])(
    '[T107] is what a report that came during the request says: %s',
    async (running, asked, expected) => {
      const { deployed: __, ...blank } = LIDAR;
      let count = 0;
      const machine = await day({
        ...blank,
        deployedVersion: async ({ kind }) => {
          if (kind === 'subsystem') return undefined;
          count++;
          // The agent learns of the failure after it has looked at what is deployed.
          const failure = { version: '1.2.4', reason: 'it crashed', running };
          if (count === 1) {
            await machine.poller.reportFailure(targetNamed('acme_lidar'), failure);
          }
          return '1.2.3';
        },
      });
      await machine.pass(3 * MINUTE);
      const actions = machine.deliveries.map(
        ({ action: { direction, from, to } }) => `${direction} ${from} → ${to}`,
      );
      expect([count, actions]).toEqual([asked, expected]);
    },
  );

  it('is requested for an added module, and for one that replaces another under its name', async () => {
    const machine = await day({ ...LIDAR, deployedVersion: noModule });
    machine.publish('acme:arm', '2.5.0');
    await machine.pass(MINUTE);
    machine.story();
    const added = [entry('acme:lidar', '1.2.*'), entry('acme:arm', '2.*')];
    machine.configure({ machine: { modules: added } });
    await machine.pass(MINUTE);
    machine.configure({ machine: { modules: [entry('acme:arm', '2.*', 'acme_lidar')] } });
    // Five minutes after the last restart under that name.
    for (const delivery of machine.deliveries) await delivery.done();
    await machine.pass(5 * MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 committed install acme_arm none → 2.5.0',
      '01:03:33 delivered install acme_arm none → 2.5.0',
      '01:04:03 acknowledged done',
      '01:04:03 acknowledged done',
      '01:07:33 committed install acme_lidar none → 2.5.0',
      '01:07:33 delivered install acme_lidar none → 2.5.0',
    ]);
  });
});

describe('a rollback by an operator', () => {
  it('ignores the window, and lasts until a newer release appears', async () => {
    const closed = { maintenance: [{ start: '0 5 * * *', duration: '1h', time_zone: 'UTC' }] };
    const versions = ['1.2.2', '1.2.3', '1.2.4'].map((text) => ({ version: text }));
    const machine = await day({ ...LIDAR, releases: { 'acme:lidar': versions } });
    const lidar = targetNamed('acme_lidar');
    const { state } = machine;
    state.report(lidar, '1.2.2', machine.clock.now());
    state.report(lidar, '1.2.4', machine.clock.now());
    await machine.pass(MINUTE);
    machine.configure({ policy: closed });
    const [from, to] = [version('1.2.4'), version('1.2.2')];
    state.rollBack(lidar, { from, to }, { at: machine.clock.now(), until: undefined });
    await machine.pass(MINUTE);
    await machine.deliveries.shift()?.done();
    machine.configure({ policy: {} });
    await machine.pass(10 * MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 committed rollback acme_lidar 1.2.4 → 1.2.2',
      '01:03:33 delivered rollback acme_lidar 1.2.4 → 1.2.2',
      '01:04:03 acknowledged done',
    ]);
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:14:33 committed acme_lidar 1.2.2 → 1.2.5',
      '01:14:33 delivered acme_lidar 1.2.2 → 1.2.5',
    ]);
  });
});
