import { describe, expect, it } from 'vitest';
import type { MachineReport } from '../../src/registry/machine-report.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';
import { tokenFor } from '../support/token.ts';

const DAY = 86_400_000;

interface Fleet {
  readonly registry: TestRegistry;
  /** The answer to a report of `rover-7`, or of another machine. */
  readonly send: (report: object, machine?: string) => Promise<string>;
  readonly counts: () => Promise<Record<string, unknown>>;
}

function testFleet(): Fleet {
  const registry = testRegistry();
  const tokens = new Map<string, string>();
  const tokenOf = (scope: string): string => {
    const token = tokens.get(scope) ?? tokenFor(registry.catalogue, [scope], `t-${tokens.size}`);
    tokens.set(scope, token);
    return token;
  };
  return {
    registry,
    async send(body, machine = 'rover-7') {
      const headers = { authorization: `Bearer ${tokenOf(`machine:${machine}`)}` };
      const address = `/v1/machines/${machine}/reports`;
      const { status, json } = await registry.ask('POST', address, { body, headers });
      const { known_to: knownTo, type = 'known' } = Object(json);
      return [status, String(type).replace('urn:modreg:', ''), knownTo].join(' ').trim();
    },
    async counts() {
      const headers = { authorization: `Bearer ${tokenOf('fleet:read')}` };
      return Object((await registry.ask('GET', '/v1/fleet', { headers })).json);
    },
  };
}

const NOTHING = {
  machines: 0,
  retired: 0,
  failing: 0,
  refusing: 0,
  presence: { online: 0, quiet: 0, silent: 0 },
  wrong_clocks: 0,
  seen_in_24h: 0,
  duplicates: 0,
  without_pin: 0,
  groups: [],
  missing_outcomes: 0,
  modules: [],
  modules_left_out: 0,
  held_over_a_week: [],
  refusing_documents: [],
  failing_modules: [],
  outcomes_in_24h: [],
  outcomes_left_out: 0,
};
const LIDAR = { module_id: 'acme:lidar', deployed: '1.2.9', decision: 'up-to-date' };
const DONE = { module_id: 'acme:lidar', version: '1.2.9', result: 'done' };

describe('a report', () => {
  it('counts as held for a week only where the machine says so [D79]', async () => {
    const { send, counts } = testFleet();
    const held = { decision: 'hold', target: '1.3.0' };
    const [long, short] = [{ ...held, held_over_a_week: true }, held];
    await send(machineReport([1], { state: reportedState(1, long) }), 'rover-1');
    await send(machineReport([1], { state: reportedState(1, short) }), 'rover-2');
    expect((await counts())['held_over_a_week']).toEqual([
      { module_id: 'acme:lidar', deployed: '1.2.9', machines: 1 },
    ]);
  });

  it('is counted once, however often it is sent (T150)', async () => {
    const { send, counts } = testFleet();
    const report = machineReport([1, 2], { state: reportedState(1, {}) });
    expect(await send(report)).toBe('200 known 2');
    expect(await send(report)).toBe('200 known 2');
    expect(await counts()).toEqual({
      ...NOTHING,
      machines: 1,
      presence: { online: 1, quiet: 0, silent: 0 },
      seen_in_24h: 1,
      without_pin: 1,
      modules: [{ ...LIDAR, machines: 1 }],
      outcomes_in_24h: [{ ...DONE, outcomes: 2 }],
    });
  });

  it.each<[string, MachineReport[], object]>([
    [
      'one after another',
      [machineReport([1]), machineReport([2])],
      { answers: ['known 1', 'known 2'], kept: 2, missing: 0 },
    ],
    [
      'in other parts',
      [machineReport([1, 2]), machineReport([2, 3])],
      { answers: ['known 2', 'known 3'], kept: 3, missing: 0 },
    ],
    [
      'after a gap',
      [machineReport([1]), machineReport([3])],
      { answers: ['known 1', 'gap 1'], kept: 1, missing: 0 },
    ],
    ['first after a gap', [machineReport([3])], { answers: ['gap 0'], kept: 0, missing: 0 }],
    [
      'with numbers that the machine dropped',
      [machineReport([1]), { ...machineReport([5]), after: 1 }],
      { answers: ['known 1', 'known 5'], kept: 2, missing: 3 },
    ],
    [
      'of a new queue, whose numbers begin again',
      [machineReport([1, 2]), machineReport([1], { queue: 'queue-02' })],
      { answers: ['known 2', 'known 1'], kept: 3, missing: 0 },
    ],
  ])('sends outcomes %s (T151)', async (_title, reports, expected) => {
    const { send, counts } = testFleet();
    const answers: string[] = [];
    for (const report of reports) answers.push((await send(report)).slice(4));
    const { missing_outcomes: missing, outcomes_in_24h: outcomes } = await counts();
    const kept = (outcomes as { outcomes: number }[]).reduce((sum, one) => sum + one.outcomes, 0);
    expect({ answers, kept, missing }).toEqual(expected);
  });

  it('replaces the state, unless that is older', async () => {
    const { send, counts } = testFleet();
    const states = [
      reportedState(1, {}, { name: 'cam', module_id: 'acme:cam' }),
      reportedState(3, { deployed: '1.3.0' }),
      reportedState(2, { deployed: '1.2.10' }),
    ];
    for (const state of states) await send(machineReport([], { state }));
    expect((await counts())['modules']).toEqual([{ ...LIDAR, deployed: '1.3.0', machines: 1 }]);
  });

  it('of two machines with the same state is stored once and counted twice', async () => {
    const { send, counts } = testFleet();
    for (const machine of ['rover-7', 'rover-8']) {
      await send(machineReport([], { state: reportedState(1, {}) }), machine);
    }
    expect((await counts())['modules']).toEqual([{ ...LIDAR, machines: 2 }]);
  });

  it('for another machine than that of the token is refused (T152)', async () => {
    const { registry, counts } = testFleet();
    const token = tokenFor(registry.catalogue, ['machine:rover-7'], 'rover');
    const answer = await registry.ask('POST', '/v1/machines/rover-8/reports', {
      body: machineReport([1]),
      headers: { authorization: `Bearer ${token}` },
    });
    expect([answer.status, Object(answer.json).detail]).toEqual([
      403,
      expect.stringMatching(/^the token t\d+ \(rover\) does not have the scope machine:rover-8$/),
    ]);
    expect(await counts()).toEqual(NOTHING);
  });
});

describe('two machines with one token', () => {
  const A = machineReport([], { state: reportedState(1, {}) });
  const B = { ...A, instance: 'process-B' };
  const C = { ...A, instance: 'process-C' };
  const RESTARTS = Array.from({ length: 10 }, (_, number) => [
    { ...A, instance: `process-${number}` },
    1,
  ]).flat();

  it.each<[string, (MachineReport | number)[], string, number]>([
    ['a restart is none', [A, B, B], '200 known 0', 0],
    ['many restarts are none', [A, B, C], '200 known 0', 0],
    ['one that was replaced returns', [A, B, A], '409 duplicate-machine', 1],
    ['it still reports', [A, B, A, A], '409 duplicate-machine', 1],
    ['one of them restarts', [A, B, A, C], '409 duplicate-machine', 1],
    ['only one reports for two days', [A, B, A, 2 * DAY, A], '200 known 0', 0],
    ['both report daily', [A, B, A, DAY, B, DAY, A], '409 duplicate-machine', 1],
    ['one returns after many restarts', [...RESTARTS, B, C, 1, B], '409 duplicate-machine', 1],
  ])('%s (T153)', async (_title, steps, last, duplicates) => {
    const { send, counts, registry } = testFleet();
    let answer = '';
    for (const step of steps) {
      if (typeof step === 'number') registry.now += step;
      else answer = await send(step);
    }
    expect(answer).toBe(last);
    const counted = duplicates === 0 ? [{ ...LIDAR, machines: 1 }] : [];
    expect(await counts()).toMatchObject({ duplicates, modules: counted });
  });
});

describe('a report that cannot be read', () => {
  it.each<[string, object, string]>([
    ['no queue', { queue: undefined }, '/queue: missing or not an object'],
    ['numbers that do not ascend', machineReport([2, 2]), EXPECTED_NUMBERS()],
    ['a number after the last', { ...machineReport([1, 2]), to: 1 }, EXPECTED_NUMBERS()],
    ['a number before the first', { ...machineReport([1]), after: 1 }, EXPECTED_NUMBERS()],
    [
      'another kind of module id',
      { state: reportedState(1, { module_id: 'lidar' }) },
      '/state/modules/0/module_id: expected a module id, such as acme:lidar',
    ],
    [
      'facts that are too large',
      { state: reportedState(1, { facts: { text: 'x'.repeat(32_768) } }) },
      '/state/modules/0/facts: longer than 32768 characters',
    ],
    [
      'two modules with one name',
      { state: reportedState(1, {}, {}) },
      '/state/modules: two modules with one name',
    ],
    [
      'too many outcomes',
      machineReport(Array.from({ length: 513 }, (_none, place) => place + 1)),
      '/outcomes: more than 512 outcomes',
    ],
  ])('%s', async (_title, fields, error) => {
    const { registry, counts } = testFleet();
    const token = tokenFor(registry.catalogue, ['machine:rover-7'], 'rover');
    const answer = await registry.ask('POST', '/v1/machines/rover-7/reports', {
      body: { ...machineReport([1]), ...fields },
      headers: { authorization: `Bearer ${token}` },
    });
    expect([answer.status, Object(answer.json).errors]).toEqual([422, [error]]);
    expect(await counts()).toEqual(NOTHING);
  });
});

function EXPECTED_NUMBERS(): string {
  return 'the numbers of outcomes must ascend, after "after" and up to "to"';
}

describe('what is read', () => {
  it.each([
    ['', ['a', 'b', 'c']],
    ['?limit=2', ['a', 'b']],
    ['?after=a&limit=1', ['b']],
    ['?module=acme:lidar', ['a', 'b']],
    ['?module=acme:lidar&version=1.2.9', ['a']],
    ['?version=1.3.0', ['b', 'c']],
    ['?stuck=true', ['b']],
    ['?stuck=true&version=1.2.9', []],
  ])('the machines of %j', async (query, ids) => {
    const { registry, send } = testFleet();
    const stuck = { deployed: '1.3.0', decision: 'stuck', reason: 'no list' };
    await send(machineReport([], { state: reportedState(1, {}) }), 'a');
    await send(machineReport([], { state: reportedState(1, stuck) }), 'b');
    const cam = { name: 'cam', module_id: 'acme:cam', deployed: '1.3.0' };
    await send(machineReport([], { state: reportedState(1, cam) }), 'c');
    const headers = {
      authorization: `Bearer ${tokenFor(registry.catalogue, ['fleet:read'], 'reader')}`,
    };
    const { json } = await registry.ask('GET', `/v1/fleet/machines${query}`, { headers });
    expect(Object(json).machines.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it.each(['/v1/fleet', '/v1/fleet/machines', '/v1/fleet/modules/acme/lidar'])(
    '%s needs the scope fleet:read',
    async (address) => {
      const { registry } = testFleet();
      const token = tokenFor(registry.catalogue, ['machine:rover-7', 'publish'], 'other');
      const headers = { authorization: `Bearer ${token}` };
      const answer = await registry.ask('GET', address, { headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        403,
        'Bearer realm="modreg", error="insufficient_scope", scope="fleet:read"',
      ]);
    },
  );

  it('has the machines of each state of a module', async () => {
    const { registry, send } = testFleet();
    for (const machine of ['a', 'b']) {
      await send(machineReport([], { state: reportedState(1, { facts: { a: 1 } }) }), machine);
    }
    await send(machineReport([], { state: reportedState(1, { deployed: 'none' }) }), 'c');
    const token = tokenFor(registry.catalogue, ['fleet:read'], 'reader');
    const headers = { authorization: `Bearer ${token}` };
    const { json } = await registry.ask('GET', '/v1/fleet/modules/acme/lidar', { headers });
    expect(json).toMatchObject({
      module_id: 'acme:lidar',
      states: [
        {
          state: { platform: 'linux/arm64', deployed: '1.2.9', facts: { a: 1 } },
          machines: ['a', 'b'],
        },
        { state: { deployed: 'none', facts: null }, machines: ['c'] },
      ],
    });
  });
});
