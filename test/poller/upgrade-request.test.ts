import { describe, expect, it } from 'vitest';
import type { UpgradeRequest } from '../../src/core/decision/upgrade-request.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { HOUR, MINUTE, SECOND, targetNamed, type Day } from '../support/day.ts';
import { NIGHTLY } from '../support/restarts.ts';
import { seen, vetoing, waiting } from '../support/upgrades.ts';
import { inHand } from './support/rover.ts';

const LIDAR = targetNamed('acme_lidar');

/** Changes the file of the machine as another process does, and lets the poller see it. */
async function byOperator(machine: Day, change: (state: MachineState) => void): Promise<void> {
  const file = openMachineFile(`${machine.home}/machine.db`, { mode: 'write' });
  change(machineStateIn(file));
  file.close();
  await seen(machine);
}

async function request(machine: Day, more: Partial<UpgradeRequest> = {}): Promise<void> {
  const requestedAt = machine.clock.now();
  const asked = { requestedAt, by: 'ann', because: undefined, from: '1.2.3', to: '1.2.4' };
  await byOperator(machine, (state) =>
    state.requestUpgrade(LIDAR, { ...asked, despite: [], ...more }),
  );
}

/** The events since the last call, without their times. */
function events(machine: Day): string[] {
  return machine.story().map((line) => line.slice('01:02:03 '.length));
}

const DELIVERED = ['committed acme_lidar 1.2.3 → 1.2.4', 'delivered acme_lidar 1.2.3 → 1.2.4'];

describe('[D76] a replacement that an operator requested at once', () => {
  it.each<[string, Parameters<typeof waiting>[0]]>([
    ['a closed window', { policy: NIGHTLY }],
    ['an agent that does not allow maintenance', { isMaintenanceAllowed: () => false }],
    ['a busy server', { isServerBusy: () => true }],
  ])('passes %s, also when it is begun (D72)', async (_, options) => {
    const machine = await waiting(options);
    await request(machine);
    expect(events(machine)).toEqual(DELIVERED);
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({ mayProceed: true });
  });

  it('ends when it is done', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    await request(machine);
    await inHand(machine, 'acme_lidar').done();
    expect(machine.state.memory().upgradeRequests).toEqual([]);
  });

  it.each<['release' | 'machine', number]>([
    ['release', 0],
    ['machine', 1],
  ])('that fails because of the %s: %i is left', async (blame, left) => {
    const machine = await waiting({ policy: NIGHTLY });
    await request(machine);
    await inHand(machine, 'acme_lidar').failed({ reason: 'no light', blame, running: '1.2.3' });
    expect(machine.state.memory().upgradeRequests).toHaveLength(left);
  });

  it('ends when the release is reported to have failed', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    await request(machine);
    const failure = { version: '1.2.4', reason: 'no light', running: '1.2.3' };
    await machine.poller.reportFailure(LIDAR, failure);
    expect(machine.state.memory().upgradeRequests).toEqual([]);
  });

  it('does not end with a restart', async () => {
    const machine = await waiting({ isServerBusy: () => true });
    await byOperator(machine, (state) =>
      state.requestRestart(LIDAR, { requestedAt: machine.clock.now(), isImmediate: true }),
    );
    const restart = inHand(machine, 'acme_lidar');
    expect(restart.action.direction).toBe('restart');
    await request(machine);
    await restart.done();
    expect(machine.state.memory().upgradeRequests).toHaveLength(1);
    await machine.pass(SECOND);
    expect(events(machine).slice(-2)).toEqual(DELIVERED);
  });

  it('does not end while a veto holds it and a restart is made', async () => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    await byOperator(machine, (state) =>
      state.requestRestart(LIDAR, { requestedAt: machine.clock.now(), isImmediate: true }),
    );
    await seen(machine);
    expect(inHand(machine, 'acme_lidar').action.direction).toBe('restart');
    expect(machine.state.memory().upgradeRequests).toHaveLength(1);
  });

  it('ends when another release is selected, which is held', async () => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(MINUTE);
    expect(machine.state.memory().upgradeRequests).toEqual([]);
    expect(events(machine)).toEqual([]);
  });

  it('ends when its release is yanked', async () => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    machine.registry.yank('acme:lidar', '1.2.4', 'burns');
    await machine.pass(MINUTE);
    expect(machine.state.memory().upgradeRequests).toEqual([]);
  });

  it('ends when its module has left the config', async () => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    machine.configure({ machine: { modules: [] } });
    await machine.pass(2 * MINUTE);
    expect(machine.state.memory().upgradeRequests).toEqual([]);
  });

  it('lasts while nothing can be decided', async () => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    await byOperator(machine, (state) => state.report(LIDAR, undefined, machine.clock.now()));
    expect(machine.state.memory().upgradeRequests).toHaveLength(1);
  });

  it('ends after an hour', async () => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    await machine.pass(59 * MINUTE);
    expect(machine.state.memory().upgradeRequests).toHaveLength(1);
    await machine.pass(2 * MINUTE);
    expect(machine.state.memory().upgradeRequests).toEqual([]);
  });

  it.each<[string, number]>([
    ['ahead', 2 * HOUR],
    ['back', -2 * HOUR],
  ])('ends when the clock is set %s by hours', async (_, jump) => {
    const machine = await waiting(vetoing({ said: 'docking' }));
    await request(machine);
    machine.clock.set(machine.clock.now() + jump);
    await seen(machine);
    expect(machine.state.memory().upgradeRequests).toEqual([]);
  });

  it('is held by a hold that an operator sets after it (D75)', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    await request(machine);
    const since = machine.clock.now();
    await byOperator(machine, (state) =>
      state.setHold({
        of: { kind: 'machine', name: '' },
        by: 'bob',
        because: 'fair',
        since,
        endsAt: undefined,
        longestMs: HOUR,
        elapsedMs: 0,
        countedAt: since,
      }),
    );
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toMatchObject({
      mayProceed: false,
      because: [{ reason: 'operator-hold' }],
    });
  });
});

function disconnected(): never {
  throw new Error('no connection');
}

describe('[D76, D77] a veto', () => {
  const SAID = { by: 'acme_lidar', said: 'person in cell' };

  it('is passed by a request that names it, as long as it has the same reason', async () => {
    const veto: { said: string | undefined } = { said: 'person in cell' };
    const machine = await waiting(vetoing(veto));
    await request(machine, { despite: [SAID] });
    expect(events(machine)).toEqual(DELIVERED);
    veto.said = 'docking';
    expect(await inHand(machine, 'acme_lidar').mayProceed()).toEqual({
      mayProceed: false,
      because: [{ reason: 'veto', by: 'acme_lidar', said: 'docking', isOverridable: false }],
      text: 'acme_lidar must not be stopped now: docking; requested at once by ann at 2026-11-21T01:04:03Z, despite "person in cell"',
    });
    veto.said = 'person in cell';
    await machine.pass(5 * SECOND);
    expect(events(machine)).toEqual(['delivered acme_lidar 1.2.3 → 1.2.4 again (2)']);
  });

  it('holds a request that does not name it, and that is asked about each five seconds', async () => {
    const veto: { said: string | undefined } = { said: 'person in cell' };
    const machine = await waiting({ ...vetoing(veto), policy: NIGHTLY });
    await request(machine);
    expect(machine.begun()).toEqual([
      '01:04:03 held upgrade of acme_lidar: acme_lidar must not be stopped now: person in cell; requested at once by ann at 2026-11-21T01:04:03Z',
    ]);
    await request(machine, { despite: [SAID] });
    expect(events(machine)).toEqual(DELIVERED);
  });

  it('holds it while the agent cannot say which there are', async () => {
    const machine = await waiting({ vetoes: disconnected });
    await request(machine);
    expect(events(machine).filter((line) => line.includes('acme_lidar'))).toEqual([]);
  });

  it('has its reason of now while there is a request', async () => {
    const asked: boolean[] = [];
    const machine = await waiting({
      vetoes: (_, { isExact }) => {
        asked.push(isExact);
        return [{ by: 'acme_lidar', said: 'docking', isOverridable: true }];
      },
    });
    const before = asked.splice(0);
    await request(machine);
    expect([new Set(before), new Set(asked)]).toEqual([new Set([false]), new Set([true])]);
  });
});

describe('[D76] a round that an operator asks for', () => {
  it('is at once, and the next one is when it was due', async () => {
    const machine = await waiting({ policy: NIGHTLY, intervalMs: HOUR });
    await machine.pass(HOUR);
    machine.story();
    const before = machine.registry.requests.length;
    await byOperator(machine, (state) => state.requestRound(LIDAR, machine.clock.now()));
    expect(machine.registry.requests.length - before).toBe(1);
    expect(machine.state.memory().roundRequests).toEqual([]);
    await machine.pass(20 * MINUTE);
    expect(machine.registry.requests.length - before).toBe(1);
    await machine.pass(50 * MINUTE);
    expect(machine.registry.requests.length - before).toBe(2);
  });

  it('[T366] is not made while the file takes no write: it would be made with each plan', async () => {
    const machine = await waiting({ policy: NIGHTLY, intervalMs: HOUR });
    await machine.pass(HOUR);
    const before = machine.registry.requests.length;
    machine.state.requestRound(LIDAR, machine.clock.now());
    machine.fill(true);
    for (let count = 0; count < 10; count++) {
      machine.poller.look();
      await machine.pass(MINUTE);
    }
    expect(machine.registry.requests.length - before).toBe(0);
    machine.fill(false);
    machine.poller.look();
    await machine.pass(MINUTE);
    expect(machine.registry.requests.length - before).toBe(1);
  });

  it('is made twice a second at most', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    const before = machine.registry.requests.length;
    for (let count = 0; count < 10; count++) {
      machine.state.requestRound(LIDAR, machine.clock.now());
      machine.poller.look();
      await machine.pass(100);
    }
    expect(machine.registry.requests.length - before).toBeLessThanOrEqual(3);
  });
});
