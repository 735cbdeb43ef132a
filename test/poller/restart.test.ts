import { describe, expect, it } from 'vitest';
import { running } from '../support/claimed.ts';
import { HOUR, MINUTE, targetNamed, type Day } from '../support/day.ts';
import { NIGHTLY, settled } from '../support/restarts.ts';

const LIDAR = targetNamed('acme_lidar');

function request({ state, clock }: Day, isImmediate = false): void {
  state.requestRestart(LIDAR, { requestedAt: clock.now(), isImmediate });
}

describe('[D41] a requested restart', () => {
  it('is delivered once, and its request ends when it is done', async () => {
    const machine = await settled();
    request(machine);
    await machine.pass(MINUTE);
    const [delivery] = machine.deliveries;
    expect(delivery?.action).toMatchObject({ from: '1.2.3', to: '1.2.3', direction: 'restart' });
    expect(delivery?.rollback).toBeUndefined();
    await delivery?.done();
    await machine.pass(HOUR);
    expect(machine.story()).toEqual([
      '01:03:33 committed restart acme_lidar 1.2.3 → 1.2.3',
      '01:03:33 delivered restart acme_lidar 1.2.3 → 1.2.3',
      '01:04:03 acknowledged done',
    ]);
    expect(running(machine.state, LIDAR)).toBe('1.2.3 after nothing');
  });

  it('that fails ends the request, and its version is kept', async () => {
    const machine = await settled();
    request(machine);
    await machine.pass(MINUTE);
    await machine.deliveries
      .shift()
      ?.failed({ reason: 'it hangs', running: '1.2.3', blame: 'release' });
    await machine.pass(HOUR);
    expect(machine.story().slice(2)).toEqual(['01:04:03 acknowledged failed']);
    expect(machine.begun()).toEqual([]);
    expect(machine.state.memory().of(LIDAR).restartRequest?.failure).toBe('it hangs');
  });

  it('that fails with nothing running is followed by an install at once', async () => {
    const machine = await settled({ policy: { restart_ceiling: 1 } });
    request(machine);
    await machine.pass(MINUTE);
    await machine.deliveries
      .shift()
      ?.failed({ reason: 'it hangs', running: null, blame: 'release' });
    await machine.pass(0);
    expect(machine.story().slice(-1)).toEqual([
      '01:04:03 delivered install acme_lidar none → 1.2.3',
    ]);
  });

  it('waits for the maintenance window, and survives a restart of the poller', async () => {
    const machine = await settled({ policy: NIGHTLY });
    request(machine);
    await machine.pass(10 * MINUTE);
    expect(machine.begun()).toEqual([
      '01:03:33 held restart of acme_lidar: the maintenance window is closed until 2026-11-21T02:00:00Z; an operator requested a restart at 2026-11-21T01:03:03Z',
    ]);
    await machine.restart();
    await machine.pass(HOUR);
    expect(machine.story()).toEqual([
      '02:00:00 committed restart acme_lidar 1.2.3 → 1.2.3',
      '02:00:00 delivered restart acme_lidar 1.2.3 → 1.2.3',
    ]);
  });

  it('asks the agent to allow maintenance, unless it is immediate [D29]', async () => {
    let asked = 0;
    const machine = await settled({ isMaintenanceAllowed: () => ++asked < 0 });
    request(machine);
    await machine.pass(MINUTE);
    expect(machine.begun()).toEqual([
      '01:03:33 held restart of acme_lidar: maintenance is not allowed now; an operator requested a restart at 2026-11-21T01:03:03Z',
    ]);
    // When it was read after 30 s, in that round, and each 5 s from then on.
    expect(asked).toBe(7);
    request(machine, true);
    await machine.pass(MINUTE);
    expect(machine.story().slice(-1)).toEqual([
      '01:04:08 delivered restart acme_lidar 1.2.3 → 1.2.3',
    ]);
    expect(asked).toBe(7);
  });

  it('that waits for its delivery is superseded once it is no longer requested', async () => {
    const machine = await settled({ takesUp: 'later' });
    request(machine);
    await machine.pass(MINUTE);
    expect(machine.state.cancelRestart(LIDAR)).toBe(true);
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 committed restart acme_lidar 1.2.3 → 1.2.3',
      '01:04:33 superseded restart acme_lidar 1.2.3 → 1.2.3',
    ]);
  });

  it('is satisfied by an upgrade that becomes due at the same time', async () => {
    const machine = await settled({ policy: NIGHTLY });
    request(machine);
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(HOUR);
    await machine.deliveries.shift()?.done();
    await machine.pass(HOUR);
    expect(machine.story()).toEqual([
      '02:00:00 committed acme_lidar 1.2.3 → 1.2.4',
      '02:00:00 delivered acme_lidar 1.2.3 → 1.2.4',
      '02:03:03 acknowledged done',
    ]);
  });

  it('keeps its id when its consumer ends, and is delivered again', async () => {
    const machine = await settled();
    request(machine);
    await machine.pass(MINUTE);
    await machine.restart();
    await machine.pass(2 * MINUTE);
    expect(machine.story().slice(-1)).toEqual([
      '01:04:33 delivered restart acme_lidar 1.2.3 → 1.2.3 again (2)',
    ]);
    const [first, second] = machine.deliveries;
    expect(second?.action.id).toBe(first?.action.id);
  });
});
