import { describe, expect, it } from 'vitest';
import type { PollerOptions } from '../../src/poller/index.ts';
import {
  day,
  HOUR,
  MINUTE,
  SECOND,
  targetNamed,
  type Day,
  type DayOptions,
} from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { delivered, inHand } from './support/rover.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
  policy: { longest_hold: '1h' },
} as const satisfies DayOptions;
const BUSY = 'maintenance is not allowed now';

/** What the file says about the hold of the lidar. */
function recorded({ state }: Day): unknown {
  const { held } = state.memory().of(targetNamed('acme_lidar'));
  return held && [held.deployed, new Date(held.since).toISOString().slice(11, 19)];
}

/** A lidar that says no. */
async function docking(isOverridable: boolean): Promise<Day> {
  const veto = { by: 'acme_lidar', said: 'docking', isOverridable };
  return await day({ ...LIDAR, vetoes: () => [veto] });
}

describe('[D79] what has been held for longest_hold', () => {
  it('is replaced despite a veto that may be overridden', async () => {
    const machine = await docking(true);
    await machine.pass(HOUR);
    expect(delivered(machine)).toEqual([]);
    expect(machine.begun()).toEqual([
      '01:02:33 held upgrade of acme_lidar: acme_lidar must not be stopped now: docking',
    ]);
    await machine.pass(3 * MINUTE);
    expect(delivered(machine)).toEqual(['02:02:33 acme_lidar 1.2.3 → 1.2.4']);
    // The agent asks once more before it stops anything (D72).
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({ mayProceed: true });
  });

  it('is not, while one that may not be overridden holds it', async () => {
    const machine = await docking(false);
    await machine.pass(5 * HOUR);
    expect(delivered(machine)).toEqual([]);
  });

  it.each<[string, Partial<PollerOptions>, boolean]>([
    ['a server that is busy', { isServerBusy: () => true }, true],
    ['an agent that says false', { isMaintenanceAllowed: () => false }, true],
    ['an agent that says forbidden', { isMaintenanceAllowed: () => 'forbidden' }, false],
    ['an agent that says nothing', { isMaintenanceAllowed: () => undefined }, false],
  ])('by %s: %s', async (_, options, isReplaced) => {
    const machine = await day({ ...LIDAR, ...options });
    await machine.pass(HOUR + 3 * MINUTE);
    expect(delivered(machine).length > 0).toBe(isReplaced);
  });

  it('is replaced at no time without that term', async () => {
    const machine = await day({ ...LIDAR, policy: {}, isMaintenanceAllowed: () => false });
    await machine.pass(5 * HOUR);
    expect(delivered(machine)).toEqual([]);
  });

  it('counts from the first hold: neither a newer release nor another reason begins it again', async () => {
    const maintenance = [{ start: '30 1 * * *', duration: '23h', time_zone: 'UTC' }];
    const machine = await day({
      ...LIDAR,
      policy: { ...LIDAR.policy, maintenance },
      isMaintenanceAllowed: () => false,
    });
    await machine.pass(50 * MINUTE);
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(13 * MINUTE);
    expect(delivered(machine)).toEqual(['02:02:33 acme_lidar 1.2.3 → 1.2.5']);
  });

  it('[T362] counts although the server is free for 20 s of each minute, which no download fits in', async () => {
    const machine: Day = await day({
      ...LIDAR,
      isMaintenanceAllowed: () => machine.clock.now() % MINUTE < 20 * SECOND,
    });
    // It is delivered, and taken back before the stop.
    let notBegun = 0;
    for (let minute = 0; minute < 55; minute++) {
      await machine.pass(MINUTE);
      const [delivery] = machine.deliveries.splice(0);
      if (!delivery) continue;
      while (machine.clock.now() % MINUTE < 20 * SECOND) await machine.pass(5 * SECOND);
      if (!(await delivery.mayProceed()).mayProceed) notBegun++;
    }
    expect(notBegun).toBeGreaterThan(10);
    await machine.pass(10 * MINUTE);
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({ mayProceed: true });
  });

  it.each<[string, number]>([
    ['ahead', 120 * HOUR],
    ['back', -120 * HOUR],
  ])('counts elapsed time: a clock that is set %s does not change it', async (_, jump) => {
    const machine = await day({ ...LIDAR, isMaintenanceAllowed: () => false });
    await machine.pass(10 * MINUTE);
    machine.clock.set(machine.clock.now() + jump);
    await machine.pass(49 * MINUTE);
    expect(delivered(machine)).toEqual([]);
    await machine.pass(5 * MINUTE);
    expect(delivered(machine)).toHaveLength(1);
  });

  it('is not that of another version, from the first plan with it', async () => {
    const machine = await day({
      ...LIDAR,
      releases: { 'acme:lidar': ['1.2.2', '1.2.3', '1.2.4'].map((version) => ({ version })) },
      isMaintenanceAllowed: () => false,
    });
    await machine.pass(59 * MINUTE);
    // The agent goes back by itself, and the next plan is made after the longest hold.
    machine.clock.set(machine.clock.now() + 4 * MINUTE);
    const failure = { version: '1.2.3', reason: 'hot', running: '1.2.2' } as const;
    await machine.poller.reportFailure(targetNamed('acme_lidar'), failure);
    await machine.pass(30 * MINUTE);
    const decided = machine.story().filter((line) => line.includes('committed'));
    expect(decided).toEqual([]);
    await machine.pass(HOUR);
    expect(delivered(machine)).toHaveLength(1);
  });

  it('counts while the machine is off', async () => {
    const machine = await day({ ...LIDAR, isMaintenanceAllowed: () => false });
    await machine.pass(10 * MINUTE);
    machine.clock.set(machine.clock.now() + 40 * MINUTE);
    await machine.restart();
    await machine.pass(8 * MINUTE);
    expect(delivered(machine)).toEqual([]);
    await machine.pass(7 * MINUTE);
    expect(delivered(machine)).toHaveLength(1);
  });
});

describe('[D79] since when something is held', () => {
  it('is recorded, until it was replaced', async () => {
    const machine = await docking(true);
    await machine.pass(MINUTE);
    expect(recorded(machine)).toEqual(['1.2.3', '01:02:33']);
    await machine.pass(2 * HOUR);
    expect(recorded(machine)).toEqual(['1.2.3', '01:02:33']);
    await inHand(machine, 'acme_lidar').done();
    await machine.pass(MINUTE);
    expect(recorded(machine)).toBeUndefined();
  });

  it('begins again with the next release after a replacement', async () => {
    const machine = await docking(true);
    await machine.pass(2 * HOUR);
    await inHand(machine, 'acme_lidar').done();
    machine.story();
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(50 * MINUTE);
    expect(recorded(machine)).toEqual(['1.2.4', '03:02:33']);
    expect(delivered(machine)).toEqual([]);
  });

  it.each<[string, object]>([
    ['nothing is to be replaced any more', { modules: [entry('acme:lidar', '1.2.3')] }],
    ['its entry is gone', { modules: [] }],
    ['its entry has another module', { modules: [entry('acme:arm', '1.*', 'acme_lidar')] }],
  ])('ends when %s', async (_, machineConfig) => {
    const machine = await docking(true);
    await machine.pass(MINUTE);
    machine.configure({ machine: machineConfig, policy: LIDAR.policy });
    await machine.pass(2 * MINUTE);
    expect(recorded(machine)).toBeUndefined();
    expect(machine.state.memory().held).toEqual([]);
  });

  it('is not what the policy refuses', async () => {
    const machine = await day({
      ...LIDAR,
      deployed: { acme_lidar: '2.0.0' },
      policy: { ...LIDAR.policy, allow_downgrade: false },
    });
    await machine.pass(MINUTE);
    expect(machine.begun()).toEqual([
      '01:02:33 held downgrade of acme_lidar: the policy does not allow downgrades',
    ]);
    expect(recorded(machine)).toBeUndefined();
  });
});

it('[D79] what holds it names its end', async () => {
  const machine = await day({ ...LIDAR, isMaintenanceAllowed: () => false });
  await machine.pass(5 * MINUTE);
  const decisions = machine.state.decisions();
  expect(decisions[0]?.reason).toBe(`${BUSY} (until 2026-11-21T02:02:33Z by longest_hold)`);
});
