import { describe, expect, it } from 'vitest';
import { moduleId as moduleIdOf } from '../support/ask.ts';
import { running } from '../support/claimed.ts';
import { day, HOUR, MINUTE, targetNamed, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.*')] },
  deployed: { acme_lidar: '1.0.0' },
  releases: { 'acme:lidar': ['1.0.0', '1.1.0'] },
};
const TARGET = targetNamed('acme_lidar');
const UNDECIDED = { blame: 'undecided', reason: 'no camera', running: '1.0.0' } as const;

/** A machine whose upgrade to 1.1.0 failed at 01:03:03, as 1.0.0 does. */
async function unplugged(): Promise<Day> {
  const machine = await day(LIDAR);
  await machine.pass(MINUTE);
  machine.story();
  await machine.deliveries.shift()?.failed(UNDECIDED);
  await machine.pass(0);
  return machine;
}

describe('[D80] a delivered release fails as the version before it does', () => {
  it('waits until that one works, and is then tried again', async () => {
    const machine = await unplugged();
    await machine.pass(HOUR);
    expect(machine.story()).toEqual(['01:03:03 acknowledged failed']);
    expect(machine.begun()).toEqual([
      '01:03:03 quarantined acme:lidar 1.1.0 for ever, undecided as 1.0.0: no camera',
    ]);
    expect(running(machine.state, TARGET)).toBe('1.0.0 after nothing');
    await machine.poller.reportWorking(TARGET, { version: '1.0.0', isProven: false });
    await machine.pass(0);
    expect(machine.story()).toEqual([
      '02:03:03 committed acme_lidar 1.0.0 → 1.1.0',
      '02:03:03 delivered acme_lidar 1.0.0 → 1.1.0',
    ]);
    await machine.deliveries.shift()?.failed({ ...UNDECIDED, blame: 'release' });
    await machine.poller.reportWorking(TARGET, { version: '1.0.0', isProven: true });
    await machine.pass(HOUR);
    expect(machine.story()).toEqual(['02:03:03 acknowledged failed']);
    expect(machine.begun()).toEqual(['02:03:03 quarantined acme:lidar 1.1.0 for ever: no camera']);
  });

  it('and is quarantined if it fails once more, also undecided', async () => {
    const machine = await unplugged();
    await machine.pass(HOUR);
    machine.begun();
    await machine.poller.reportWorking(TARGET, { version: '1.0.0', isProven: false });
    await machine.pass(0);
    await machine.deliveries.shift()?.failed(UNDECIDED);
    await machine.poller.reportWorking(TARGET, { version: '1.0.0', isProven: false });
    await machine.pass(HOUR);
    expect(machine.begun()).toEqual(['02:03:03 quarantined acme:lidar 1.1.0 for ever: no camera']);
    expect(machine.deliveries).toEqual([]);
    expect(running(machine.state, TARGET)).toBe('1.0.0 after nothing');
  });

  it('a newer release is tried at once', async () => {
    const machine = await unplugged();
    machine.publish('acme:lidar', '1.2.0');
    await machine.pass(10 * MINUTE);
    expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.2.0']);
  });

  it('nothing runs: the version before it replaces it', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    await machine.deliveries.shift()?.failed({ ...UNDECIDED, running: null });
    machine.story();
    await machine.pass(0);
    expect(machine.story().at(-1)).toBe('01:03:03 delivered rollback acme_lidar none → 1.0.0');
  });
});

it('[D80] a release that failed alone is undecided once the version in its place fails as well', async () => {
  const machine = await day({ ...LIDAR, deployed: { acme_lidar: '1.1.0' } });
  await machine.pass(MINUTE);
  const failure = { version: '1.1.0', reason: 'no camera' };
  await machine.poller.reportFailure(TARGET, { ...failure, running: '1.0.0' });
  await machine.pass(HOUR);
  expect(machine.deliveries).toEqual([]);
  await machine.poller.reportFailure(TARGET, { ...failure, running: '1.0.0', blame: 'undecided' });
  await machine.poller.reportWorking(TARGET, { version: '1.0.0', isProven: false });
  await machine.pass(0);
  expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.1.0']);
});

it('[D81] a release that fails in one entry stays in the other, and begins in none', async () => {
  const others = ['rear', 'top'].map((name) => entry('acme:lidar', '1.*', name));
  const machine = await day({
    ...LIDAR,
    machine: { modules: [entry('acme:lidar', '1.*'), ...others] },
    deployed: { acme_lidar: '1.1.0' },
  });
  const moduleId = moduleIdOf('acme:lidar');
  const [rear, top] = [
    { kind: 'module', name: 'rear', moduleId },
    { kind: 'module', name: 'top', moduleId },
  ] as const;
  const { state, clock, poller } = machine;
  state.report(rear, '1.1.0', clock.now());
  state.report(top, '1.0.0', clock.now());
  await poller.reportFailure(rear, { version: '1.1.0', reason: 'no camera', running: null });
  await machine.pass(HOUR);
  expect(machine.deliveries.map(({ action: { target, to } }) => `${target.name} ${to}`)).toEqual([
    'rear 1.0.0',
  ]);
  const reasons = state.decisions().map(({ name, reason }) => `${name}: ${reason}`);
  expect(reasons.filter((line) => /^(acme_lidar|top):/.test(line))).toEqual([
    'acme_lidar: already the newest release of 1',
    'top: stays at 1.0.0: 1.1.0 is quarantined on this machine, because it failed in entry rear (no camera)',
  ]);
});

it('[D80] refuses reports that it cannot use', async () => {
  const machine = await day(LIDAR);
  const { poller } = machine;
  const working = { version: '1.0.0', isProven: 'no' } as never;
  await expect(poller.reportWorking(TARGET, working)).rejects.toThrow(
    'reportWorking(): found an object, expected the version that works, and whether it has worked for an hour',
  );
  await expect(poller.reportWorking({} as never, working)).rejects.toThrow(
    'reportWorking(): found an object, expected the target of an action: a module entry with its module id, or a subsystem',
  );
  const failure = { version: '1.1.0', reason: '', running: null, blame: 'machine' } as never;
  await expect(poller.reportFailure(TARGET, failure)).rejects.toThrow(
    'reportFailure(): found "machine" as blame, expected release, undecided or nothing',
  );
});
