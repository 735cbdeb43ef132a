import { describe, expect, it, onTestFinished } from 'vitest';
import { CATALOGUES, testMachine, type TestMachine } from '../../src/testing/index.ts';
import { HOUR, MINUTE } from '../support/day.ts';

const MACHINE = {
  modules: [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.2.*' }],
};
const TWO = { 'acme:lidar': ['1.2.3', '1.2.4'] };
const NIGHT = { maintenance: [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }] };

function started(options: Partial<Parameters<typeof testMachine>[0]> = {}): TestMachine {
  const machine = testMachine({
    machine: MACHINE,
    releases: TWO,
    deployed: { lidar: '1.2.3' },
    ...options,
  });
  onTestFinished(async () => await machine.close());
  return machine;
}

/** The deliveries so far: how often each version was delivered, by delivery. */
function delivered({ deliveries }: TestMachine): string[] {
  return deliveries.map(({ action, times }) => `${action.to} time ${times}`);
}

/** What is deployed after five starts in a row, each after a power cut or in order. */
async function afterFiveStarts(isCut: boolean): Promise<string | undefined> {
  const machine = started();
  for (let time = 0; time < 5; time++) {
    if (isCut) machine.powerCut();
    await machine.restart();
  }
  await machine.pass(3 * MINUTE);
  return machine.deployed.get('lidar') ?? undefined;
}

describe('[D316] a power cut', () => {
  it('takes the outcome that was not reported: the action is delivered again', async () => {
    const machine = started({
      carryOut: async ({ action, times, done }) => {
        if (times === 1) return machine.powerCut();
        machine.deployed.set('lidar', action.to);
        await done();
      },
    });
    await machine.pass(5 * MINUTE);
    expect([delivered(machine), machine.deployed.get('lidar')]).toEqual([
      ['1.2.4 time 1'],
      '1.2.3',
    ]);
    await machine.restart();
    await machine.pass(5 * MINUTE);
    expect([delivered(machine), machine.deployed.get('lidar')]).toEqual([
      ['1.2.4 time 1', '1.2.4 time 2'],
      '1.2.4',
    ]);
  });

  it('ends all events and requests until the restart, and reports of what ran change nothing', async () => {
    const machine = started({ carryOut: () => undefined });
    await machine.pass(5 * MINUTE);
    machine.powerCut();
    machine.powerCut();
    const requests = [...machine.registry.requests];
    const [delivery] = machine.deliveries;
    await delivery?.done();
    const events = [...machine.events];
    await machine.clock.pass(HOUR);
    expect(machine.events).toEqual(events);
    expect(machine.registry.requests).toEqual(requests);
    await machine.restart();
    await machine.pass(5 * MINUTE);
    expect(delivered(machine)).toEqual(['1.2.4 time 1', '1.2.4 time 2']);
  });

  it('counts for a crash loop, which a restart in order does not', async () => {
    expect([await afterFiveStarts(true), await afterFiveStarts(false)]).toEqual(['1.2.3', '1.2.4']);
  });

  it('keeps what was acknowledged, the quarantine and the saved lists', async () => {
    const machine = started({
      carryOut: async ({ action, done, failed }) => {
        machine.deployed.set('lidar', action.to);
        if (action.to !== '1.2.4') return await done();
        await failed({ reason: 'no points', running: '1.2.4', blame: 'release' });
      },
    });
    await machine.settled();
    machine.powerCut();
    machine.registry.break({ kind: 'offline', times: Infinity });
    await machine.restart();
    await machine.pass(HOUR);
    expect(delivered(machine)).toEqual(['1.2.4 time 1', '1.2.3 time 1']);
    expect(machine.deployed.get('lidar')).toBe('1.2.3');
  });
});

describe('[D316] restart()', () => {
  it('starts another poller on the same file, with the same registry and clock', async () => {
    const machine = started();
    const { poller } = machine;
    await machine.settled();
    const now = machine.clock.now();
    await machine.restart();
    expect([machine.poller === poller, machine.clock.now() - now]).toEqual([false, 0]);
    machine.registry.publish('acme:lidar', '1.2.5');
    await machine.settled();
    expect(delivered(machine)).toEqual(['1.2.4 time 1', '1.2.5 time 1']);
  });

  it('a report to the poller of before changes nothing', async () => {
    const machine = started({ carryOut: () => undefined });
    await machine.pass(5 * MINUTE);
    const [delivery] = machine.deliveries;
    await machine.restart();
    await delivery?.done();
    await machine.pass(5 * MINUTE);
    expect(delivered(machine)).toEqual(['1.2.4 time 1', '1.2.4 time 2']);
  });
});

describe('[D316] settled()', () => {
  it('passes the time until all that is due is done, and returns its events', async () => {
    const machine = started({ releases: CATALOGUES.lidar });
    const events = await machine.settled();
    expect(events.map(({ kind }) => kind)).toEqual(['committed', 'delivered', 'acknowledged']);
    expect(machine.deployed.get('lidar')).toBe('1.2.9');
    expect(await machine.settled()).toEqual([]);
  });

  it('waits for no window', async () => {
    const machine = started({ policy: NIGHT, now: '2026-11-21T12:00:00Z' });
    const events = await machine.settled();
    expect(events.map(({ kind }) => kind)).toEqual(['held']);
    expect(machine.clock.now()).toBeLessThan(Date.parse('2026-11-21T12:30:00Z'));
  });

  it('waits for work of the agent that takes hours', async () => {
    const machine = started({
      acknowledgeWithinMs: 3 * HOUR,
      carryOut: async ({ action, done }) => {
        await machine.clock.sleep(2 * HOUR);
        machine.deployed.set('lidar', action.to);
        await done();
      },
    });
    await machine.settled();
    expect(machine.deployed.get('lidar')).toBe('1.2.4');
  });

  it('rejects after a day if an action is never acknowledged', async () => {
    const machine = started({ intervalMs: 900_000, carryOut: () => undefined });
    await expect(machine.settled()).rejects.toThrow(
      new Error('settled(): the machine does not settle in a day: lidar to 1.2.4 is delivered'),
    );
  });

  it('rejects while the power is cut', async () => {
    const machine = started();
    machine.powerCut();
    await expect(machine.settled()).rejects.toThrow(
      new Error('settled(): the power is cut, and nothing happens: call restart()'),
    );
  });
});

describe('[D475] no time passes silently for a machine', () => {
  it('that is off', async () => {
    const machine = started();
    machine.powerCut();
    await expect(machine.pass(HOUR)).rejects.toThrow(
      new Error(
        'pass(): the power is cut, and nothing happens: call restart(), or clock.pass() to let time pass without power',
      ),
    );
    await machine.restart();
    await expect(machine.pass(HOUR)).resolves.not.toEqual([]);
  });

  it.each(['pass', 'settled'] as const)('that is closed: %s()', async (name) => {
    const machine = started();
    await machine.close();
    await expect(machine[name](HOUR)).rejects.toThrow(
      new Error(`${name}(): the machine is closed: start another one`),
    );
  });
});
