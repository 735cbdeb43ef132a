import { describe, expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
} as const satisfies DayOptions;

/** When the registry was asked for changes, in seconds after the start. */
async function roundsOf(machine: Day, ms: number): Promise<number[]> {
  const rounds: number[] = [];
  for (let second = 0; second < ms / SECOND; second++) {
    const before = machine.registry.requests.length;
    await machine.pass(SECOND);
    const asked = machine.registry.requests.slice(before);
    if (asked.some((request) => request.startsWith('GET /v1/changes'))) rounds.push(second + 1);
  }
  return rounds;
}

describe('rounds', () => {
  it('begin after a part of an interval, and then come each interval', async () => {
    const machine = await day(LIDAR);
    expect(await roundsOf(machine, 4 * MINUTE)).toEqual([30, 90, 150, 210]);
  });

  it.each([
    ['fast_start', { agent: { 'platform-server': { attributes: { fast_start: true } } } }, {}],
    ['PLATFORM_AGENT_FAST_START=1', {}, { PLATFORM_AGENT_FAST_START: '1' }],
  ])('skip the first one with %s (D28)', async (_, agent, environment) => {
    const machine = await day({ ...LIDAR, machine: { ...LIDAR.machine, ...agent }, environment });
    expect(await roundsOf(machine, 4 * MINUTE)).toEqual([90, 150, 210]);
  });

  it('[T20] back off while the registry fails, and then come each interval again', async () => {
    const machine = await day(LIDAR);
    machine.registry.break({ kind: 'status', times: 3, status: 403 });
    // After 1.5 times one, two and four minutes.
    expect(await roundsOf(machine, 14 * MINUTE)).toEqual([30, 120, 300, 660, 720, 780, 840]);
    expect(machine.story()).toEqual([
      '01:02:33 registry unavailable: registry-refused, again in 90 s',
      '01:13:03 registry available after 630 s',
      '01:13:03 committed acme_lidar 1.2.3 → 1.2.4',
      '01:13:03 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
  });

  it('[T22] wait for a Retry-After that is longer', async () => {
    const machine = await day(LIDAR);
    machine.registry.break(
      { kind: 'retry-after', seconds: 1800 },
      { kind: 'retry-after', seconds: 1800 },
      { kind: 'retry-after', seconds: 1800 },
    );
    const [first, second] = await roundsOf(machine, HOUR);
    expect([first, second]).toEqual([30, 30 + 1800]);
  });

  it('[T22] use another configuration soon, whatever the registry makes them wait', async () => {
    const machine = await day({ ...LIDAR, deployed: { acme_lidar: '1.2.4' } });
    await machine.pass(MINUTE);
    const busy = { kind: 'retry-after', seconds: 1800 } as const;
    machine.registry.break(busy, busy, busy);
    await machine.pass(2 * MINUTE);
    const asked = machine.registry.requests.length;
    machine.configure({ machine: { modules: [entry('acme:lidar', '1.2.3')] } });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 registry unavailable: registry-busy, again in 1800 s',
      '01:05:45 committed downgrade acme_lidar 1.2.4 → 1.2.3',
      '01:05:45 delivered downgrade acme_lidar 1.2.4 → 1.2.3',
    ]);
    expect(machine.registry.requests).toHaveLength(asked);
  });

  it('and deadlines come on time if chance results in fractions of milliseconds', async () => {
    const machine = await day({ ...LIDAR, random: () => 1 / 3, acknowledgeWithinMs: 100_000 / 3 });
    await machine.pass(10 * MINUTE);
    const asked = machine.registry.requests.filter((request) => request.includes('changes'));
    // First after 20 s, then each 58 s.
    expect(asked).toHaveLength(11);
    expect(machine.story().slice(2)).toEqual(['01:02:56 overdue acme_lidar 1.2.3 → 1.2.4']);
  });

  it('[T50] come once after days in which the machine was suspended', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    machine.story();
    const before = machine.registry.requests.length;
    machine.clock.set(machine.clock.now() + 72 * HOUR);
    await machine.pass(MINUTE);
    expect(machine.registry.requests.slice(before)).toEqual(['GET /v1/changes?after=2']);
  });

  it.each([
    ['ten years ahead', 10 * 365 * 24 * HOUR],
    ['ten years back', -10 * 365 * 24 * HOUR],
    ['to 1970', -Date.parse('2026-11-21T01:00:00Z')],
    ['back an hour', -HOUR],
  ])('[T50, I15] continue when the clock is set %s', async (_, ms) => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    await machine.deliveries.shift()?.done();
    machine.clock.set(machine.clock.now() + ms);
    machine.publish('acme:lidar', '1.2.5');
    expect(await roundsOf(machine, 3 * MINUTE)).toEqual([30, 90, 150]);
    // Whatever the clock shows, five minutes pass between two restarts.
    expect(machine.deliveries).toEqual([]);
    await machine.pass(3 * MINUTE);
    expect(machine.deliveries[0]?.action.to).toBe('1.2.5');
  });
});

describe('after a round', () => {
  it('[T21] a module that the registry no longer knows stays, and that is reported once', async () => {
    const machine = await day({ ...LIDAR, deployed: { acme_lidar: '1.2.4' } });
    await machine.pass(MINUTE);
    machine.registry.break({ kind: 'status', times: Infinity, status: 404 });
    await machine.pass(10 * MINUTE);
    machine.registry.mend();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual([
      '01:03:33 list unavailable of acme:lidar: unknown-module',
      '01:13:33 list available of acme:lidar',
    ]);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'up-to-date' });
  });

  it('[T23] a sign-in page is not a list, and the saved list is used', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    await machine.deliveries.shift()?.done();
    machine.registry.break({ kind: 'wrong-type' }, { kind: 'wrong-type' });
    await machine.pass(2 * MINUTE);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'up-to-date', target: '1.2.4' });
  });

  it('a list that is too old is not used, but an open action stays (D21)', async () => {
    const policy = { max_index_age: '2h' };
    const machine = await day({ ...LIDAR, policy, takesUp: 'later' });
    await machine.pass(MINUTE);
    const [before] = machine.state.memory().open;
    machine.registry.break({ kind: 'offline', times: Infinity });
    machine.clock.set(machine.clock.now() + 3 * HOUR);
    await machine.pass(5 * MINUTE);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'stuck' });
    const next = machine.poller.deliveries().next();
    machine.registry.mend();
    await machine.pass(10 * MINUTE);
    expect((await next).value).toMatchObject({ action: { id: before?.action.id }, times: 1 });
  });
});
