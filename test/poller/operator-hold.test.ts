import { describe, expect, it } from 'vitest';
import type { RecordedHold } from '../../src/core/decision/operator-hold.ts';
import type { ClockFault } from '../../src/core/releases/eligibility-policy.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { day, HOUR, MINUTE, targetNamed, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { inHand } from './support/rover.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
} as const satisfies DayOptions;
const DAY = 24 * HOUR;
const MACHINE = { kind: 'machine', name: '' } as const;

/** Sets a hold as another process does. */
function hold(machine: Day, more: Partial<RecordedHold> = {}): void {
  const since = machine.clock.now();
  const file = openMachineFile(`${machine.home}/machine.db`, { mode: 'write' });
  machineStateIn(file).setHold({
    of: { kind: 'module', name: 'acme_lidar' },
    by: 'ann',
    because: 'on stage',
    since,
    endsAt: undefined,
    longestMs: HOUR,
    elapsedMs: 0,
    countedAt: since,
    ...more,
  });
  file.close();
}

/** A machine whose clock has a fault, which may end. */
async function faulty(
  clock: { fault: ClockFault | undefined },
  intervalMs: number = HOUR,
): Promise<Day> {
  const records = ['1.2.3', '1.2.4'].map((version) => ({ version }));
  const read: PollableRegistry['read'] = async () =>
    await Promise.resolve({ records, dropped: [], source: 'folder', from: 'lists', fetchedAt: 0 });
  const registry: PollableRegistry = { read, clockFault: () => clock.fault };
  return await day({ ...LIDAR, intervalMs, registryFor: () => registry });
}

const HELD = 'held by ann until 2026-11-21T02:03:03Z: "on stage"';

describe('[D75, D72] a hold that another process sets', () => {
  it.each<[string, RecordedHold['of']]>([
    ['of the module', { kind: 'module', name: 'acme_lidar' }],
    ['of the machine', MACHINE],
  ])('%s stops an action that was delivered and is not begun, at once', async (_, of) => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    const delivery = inHand(machine, 'acme_lidar');
    expect(await delivery.mayProceed()).toEqual({ mayProceed: true });
    hold(machine, { of });
    const answer = await delivery.mayProceed();
    expect(answer).toMatchObject({
      mayProceed: false,
      because: [{ reason: 'operator-hold', by: 'ann', because: 'on stage' }],
      text: of.kind === 'machine' ? `the machine is ${HELD}` : HELD,
    });
    await machine.pass(0);
    machine.story();
    await machine.pass(HOUR + MINUTE);
    // The cooldown does not begin with an action that was not begun.
    expect(machine.story()).toEqual([
      '02:03:03 committed acme_lidar 1.2.3 → 1.2.4',
      '02:03:03 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
    expect(machine.state.memory().holds).toEqual([]);
  });

  it('stops a restart that was requested at once', async () => {
    const machine = await day({ ...LIDAR, deployed: { acme_lidar: '1.2.4' } });
    await machine.pass(MINUTE);
    const request = { requestedAt: machine.clock.now(), isImmediate: true };
    machine.state.requestRestart(targetNamed('acme_lidar'), request);
    await machine.pass(MINUTE);
    const delivery = inHand(machine, 'acme_lidar');
    expect(delivery.action.direction).toBe('restart');
    hold(machine);
    expect(await delivery.mayProceed()).toMatchObject({
      mayProceed: false,
      because: [{ reason: 'operator-hold' }],
    });
    await machine.pass(0);
    expect(machine.state.memory().of(delivery.action.target).restartRequest).toEqual({
      moduleId: 'acme:lidar',
      request,
      failure: undefined,
    });
  });

  it('of another module does not', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    hold(machine, { of: { kind: 'module', name: 'acme_arm' } });
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({ mayProceed: true });
  });

  it('does not stop a rollback', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    await inHand(machine, 'acme_lidar').done();
    hold(machine, { of: MACHINE });
    await machine.poller.reportFailure(targetNamed('acme_lidar'), {
      version: '1.2.4',
      reason: 'no light',
      running: '1.2.4',
    });
    await machine.pass(MINUTE);
    const { action, mayProceed } = inHand(machine, 'acme_lidar');
    expect([action.direction, action.to]).toEqual(['rollback', '1.2.3']);
    expect(await mayProceed()).toEqual({ mayProceed: true });
  });

  it('does not ask the agent whether maintenance is allowed', async () => {
    let asked = 0;
    const isMaintenanceAllowed = (): boolean => ++asked > 0;
    const machine = await day({ ...LIDAR, isMaintenanceAllowed });
    hold(machine);
    await machine.pass(10 * MINUTE);
    expect(asked).toBe(0);
  });
});

describe('[D75, T337] the time of a hold', () => {
  it.each<[string, number]>([
    ['ahead', 5 * DAY],
    ['back', -5 * DAY],
  ])('is elapsed time: a clock that is set %s does not change it', async (_, jump) => {
    const machine = await day(LIDAR);
    hold(machine);
    await machine.pass(10 * MINUTE);
    machine.clock.set(machine.clock.now() + jump);
    await machine.pass(49 * MINUTE);
    expect(machine.story()).toEqual([]);
    await machine.pass(2 * MINUTE);
    expect(machine.story()).toHaveLength(2);
  });

  it('counts while the machine is off', async () => {
    const machine = await day(LIDAR);
    hold(machine);
    await machine.pass(10 * MINUTE);
    await machine.restart(40 * MINUTE);
    await machine.pass(9 * MINUTE);
    expect(machine.story().filter((line) => line.includes('delivered'))).toEqual([]);
    await machine.pass(2 * MINUTE);
    expect(machine.story().filter((line) => line.includes('delivered'))).toHaveLength(1);
  });

  it.each([
    ['ahead', 3 * DAY],
    ['back', -3 * DAY],
  ])('counts nothing if the clock is set %s and the poller is started again', async (_, jump) => {
    const machine = await day(LIDAR);
    hold(machine);
    await machine.pass(10 * MINUTE);
    machine.clock.set(machine.clock.now() + jump);
    await machine.pass(MINUTE / 4);
    await machine.restart();
    machine.story();
    await machine.pass(45 * MINUTE);
    expect(machine.story().filter((line) => line.includes('delivered'))).toEqual([]);
    await machine.pass(5 * MINUTE);
    expect(machine.story().filter((line) => line.includes('delivered'))).toHaveLength(1);
  });

  it('does not count while the machine is off and no time is certain', async () => {
    const machine = await faulty({ fault: { kind: 'unsynchronized' } }, MINUTE);
    hold(machine, { countedAt: undefined });
    await machine.pass(10 * MINUTE);
    await machine.restart(40 * MINUTE);
    machine.story();
    await machine.pass(48 * MINUTE);
    expect(machine.story()).toEqual([]);
    await machine.pass(5 * MINUTE);
    expect(machine.story()).toHaveLength(2);
  });

  const UNTIL_TWO = { endsAt: Date.parse('2026-11-21T02:00:00Z'), longestMs: 30 * DAY };

  it('that has an end by the clock lasts until that is certain', async () => {
    const clock: { fault: ClockFault | undefined } = { fault: { kind: 'unsynchronized' } };
    const machine = await faulty(clock);
    hold(machine, { ...UNTIL_TWO, countedAt: undefined });
    await machine.pass(3 * DAY);
    expect(machine.story()).toEqual([]);
    expect(machine.begun()).toEqual([
      '01:32:03 held upgrade of acme_lidar: held by ann until 2026-11-21T02:00:00Z, once that is certain: "on stage"',
    ]);
    clock.fault = undefined;
    await machine.pass(2 * HOUR);
    expect(machine.story()[0]).toBe('01:32:03 committed acme_lidar 1.2.3 → 1.2.4');
  });

  it('lasts 30 days at most, although its end is never certain', async () => {
    const machine = await faulty({ fault: { kind: 'unsynchronized' } });
    hold(machine, { ...UNTIL_TWO, countedAt: undefined });
    await machine.pass(30 * DAY - HOUR);
    expect(machine.story()).toEqual([]);
    await machine.pass(3 * HOUR);
    expect(machine.story()[0]).toBe('01:32:03 committed acme_lidar 1.2.3 → 1.2.4');
  });
});
