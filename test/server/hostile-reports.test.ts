import { expect, it, onTestFinished } from 'vitest';
import { LARGEST_NUMBER, type MachineReport } from '../../src/registry/machine-report.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { fleetCounts } from '../../src/server/fleet/fleet-queries.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';

/** A registry in which `rover-7` sends what it likes, and a reader looks. */
function attacked(registry: TestRegistry = testRegistry()): {
  readonly send: (report: object, machine?: string) => Promise<readonly [number, unknown]>;
  readonly read: (path?: string) => Promise<readonly [number, Record<string, unknown>]>;
} {
  const reader = tokenFor(registry.catalogue, ['fleet:read'], 'reader');
  const tokens = new Map<string, string>();
  return {
    async send(body, machine = 'rover-7') {
      const token =
        tokens.get(machine) ?? tokenFor(registry.catalogue, [`machine:${machine}`], machine);
      tokens.set(machine, token);
      const headers = { authorization: `Bearer ${token}` };
      const { status, json } = await registry.ask('POST', `/v1/machines/${machine}/reports`, {
        body,
        headers,
      });
      const { known_to: knownTo, errors, type } = Object(json);
      return [status, knownTo ?? errors?.[0] ?? type];
    },
    async read(path = '') {
      const headers = { authorization: `Bearer ${reader}` };
      const { status, json } = await registry.ask('GET', `/v1/fleet${path}`, { headers });
      return [status, Object(json)];
    },
  };
}

const EXPECTED = `expected a whole number from 0 to ${LARGEST_NUMBER}`;
const TOO_LARGE = LARGEST_NUMBER + 1;

it.each<[string, object, readonly [number, unknown]]>([
  ['2^53 - 1 as to', { after: 0, to: 2 ** 53 - 1 }, [422, `/to: ${EXPECTED}`]],
  ['one too many as to', { after: 0, to: TOO_LARGE }, [422, `/to: ${EXPECTED}`]],
  ['the largest to', { after: 0, to: LARGEST_NUMBER }, [200, LARGEST_NUMBER]],
  ['too large an after', { after: TOO_LARGE, to: TOO_LARGE }, [422, `/after: ${EXPECTED}`]],
  [
    'too large a number of an outcome',
    { ...machineReport([TOO_LARGE]), to: 5, after: 0 },
    [422, `/outcomes/0/number: ${EXPECTED}`],
  ],
  [
    'too large a number of a state',
    { state: reportedState(TOO_LARGE, {}) },
    [422, `/state/number: ${EXPECTED}`],
  ],
])('[T246] a report with %s is answered as it should be', async (_title, fields, answer) => {
  const { send, read } = attacked();
  expect(await send({ ...machineReport([]), ...fields })).toEqual(answer);
  expect((await read())[0]).toBe(200);
});

it('[T246] a machine that begins queue after queue counts as many missing outcomes as one queue can lack', async () => {
  const { send, read } = attacked();
  for (const queue of ['queue-AA', 'queue-BB', 'queue-CC']) {
    const report = machineReport([], { queue, after: 0, to: LARGEST_NUMBER });
    expect(await send(report)).toEqual([200, LARGEST_NUMBER]);
    await send(report, 'rover-8');
  }
  expect(await read()).toMatchObject([200, { missing_outcomes: 2 * LARGEST_NUMBER }]);
  const [, { machines }] = await read('/machines');
  expect(machines).toMatchObject([
    { id: 'rover-7', missing_outcomes: LARGEST_NUMBER },
    { id: 'rover-8', missing_outcomes: LARGEST_NUMBER },
  ]);
});

it('[T246] the sum over many machines is one that JavaScript can read', async () => {
  const registry = testRegistry();
  const fleet = newFleet(`${temporaryFolder()}/fleet.db`);
  fleet.write((sql) => {
    sql.run(`WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9100)
      INSERT INTO machines (name, queue, known_to, missing, state_number, instance, seen_at)
      SELECT 'm' || x, 'q', 0, ${LARGEST_NUMBER}, 0, 'i', 0 FROM n`);
  });
  const counts = await fleet.readInSlices((sql) => fleetCounts(sql, registry.now, new Map()));
  expect(counts).toMatchObject({ machines: 9100, missing_outcomes: Number.MAX_SAFE_INTEGER });
});

function newFleet(path: string): FleetFile {
  const fleet = new FleetFile(path, () => NOON);
  onTestFinished(() => fleet.close());
  return fleet;
}

it('[T247] a machine that returns to an earlier queue is answered, and its outcomes count once', async () => {
  const { send, read } = attacked();
  const other = machineReport([1], { queue: 'queue-BB' });
  for (const report of [machineReport([1, 2]), other, machineReport([1, 2, 3])]) {
    expect((await send(report))[0]).toBe(200);
  }
  expect((await read())[1]['outcomes_in_24h']).toMatchObject([{ outcomes: 4 }]);
});

it('[T247] of reports that share a transaction, the one that cannot be applied is refused, and the others are taken', async () => {
  const fleet = newFleet(`${temporaryFolder()}/fleet.db`);
  fleet.write((sql) => {
    sql.run(`CREATE TRIGGER refused BEFORE INSERT ON placements WHEN NEW.name = 'poison'
      BEGIN SELECT raise(ABORT, 'not this one'); END`);
  });
  const shared = { deployed: '1.2.9' };
  const poison = reportedState(1, shared, { name: 'poison', deployed: '6.6.6' });
  const good = reportedState(1, shared);
  const reports: readonly (readonly [string, MachineReport])[] = [
    ['rover-7', machineReport([1], { state: poison })],
    ...Array.from(
      { length: 100 },
      (_none, place) => [`rover-${place + 100}`, machineReport([1], { state: good })] as const,
    ),
  ];
  const answers = await Promise.allSettled(
    reports.map(async ([machine, report]) => await fleet.report(machine, report)),
  );
  const [first, ...others] = answers;
  expect(first).toMatchObject({
    status: 'rejected',
    reason: {
      name: 'DatabaseError',
      message:
        'the report of "rover-7" cannot be applied: not this one; nothing of it was, and other machines are not concerned',
    },
  });
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
  expect(
    fleet.read((sql) => [
      sql.get('SELECT count(*) AS machines, sum(missing) AS missing FROM machines'),
      ...sql.all('SELECT deployed, machines FROM states'),
    ]),
  ).toEqual([
    { machines: 100, missing: 0 },
    { deployed: '1.2.9', machines: 100 },
  ]);
});

const MAXIMAL = 512;

it('[T250] the newest 10,000 outcomes of a machine are kept, also of maximal batches and of many queues', () => {
  const fleet = newFleet(`${temporaryFolder()}/fleet.db`);
  const numbers = (first: number): number[] =>
    Array.from({ length: MAXIMAL }, (_none, place) => first + place);
  const take = (at: number, ...reports: readonly MachineReport[]): void => {
    const sent = reports.map((report) => ({ machine: 'rover-7', report }));
    fleet.takeShared({ stream: 's', sequence: at, at: NOON + at, reports: sent });
  };
  fleet.takeShared({
    stream: 's',
    sequence: 1,
    at: NOON,
    reports: [{ machine: 'rover-1', report: machineReport([1]) }],
  });
  for (let batch = 0; batch < 21; batch++) {
    take(batch, machineReport(numbers(1 + MAXIMAL * batch), { queue: 'queue-AA' }));
  }
  const kept = `SELECT min(number) AS first, max(number) AS last, count(*) AS kept FROM outcomes
    JOIN machines ON machines.id = machine WHERE name = ?`;
  expect(fleet.read((sql) => sql.get(kept, 'rover-7'))).toEqual({
    first: 21 * MAXIMAL - 10_000 + 1,
    last: 21 * MAXIMAL,
    kept: 10_000,
  });
  const queues = Array.from({ length: 4 }, (_none, place) => `queue-${place}-of`);
  take(30, ...queues.map((queue) => machineReport(numbers(1), { queue })));
  expect(fleet.read((sql) => sql.get(kept, 'rover-7'))).toMatchObject({ kept: 10_000 });
  expect(fleet.read((sql) => sql.get(kept, 'rover-1'))).toMatchObject({ kept: 1 });
  expect(fleet.read((sql) => sql.get('SELECT max(outcomes) AS most FROM machines'))).toEqual({
    most: 10_000,
  });
});

it('[T251] reports leave space on the disk for yanks', async () => {
  const registry = testRegistry({ limits: { ...SERVER_LIMITS, freeDisk: 2 ** 60 } });
  const { send } = attacked(registry);
  expect(await send(machineReport([1]))).toEqual([507, 'urn:modreg:storage-full']);
});

const INVENTED = 2100;

it('[T252] a count of invented modules and versions is bounded, and says how many it lacks', async () => {
  const { send, read } = attacked();
  const honest = machineReport([1], { state: reportedState(1, {}) });
  for (const machine of ['rover-1', 'rover-2']) await send(honest, machine);
  for (const [place, machine] of ['rover-7', 'rover-8', 'rover-9'].entries()) {
    const modules = Array.from({ length: INVENTED / 3 }, (_none, one) => ({
      name: `m${one}`,
      module_id: `aaa:m${one}`,
      deployed: `${place}.0.0`,
    }));
    await send(machineReport([], { state: reportedState(1, ...modules) }), machine);
  }
  for (let first = 1; first <= INVENTED; first += 300) {
    const numbers = Array.from({ length: 300 }, (_none, place) => first + place);
    const { outcomes, ...report } = machineReport(numbers, { queue: 'queue-of-7' });
    const invented = outcomes.map((one) => Object.assign(one, { to: `${one.number}.0.0` }));
    expect(await send({ ...report, outcomes: invented })).toEqual([200, first + 299]);
  }
  const [status, { modules, outcomes_in_24h: outcomes, ...counts }] = await read();
  expect([status, Object(modules).length, Object(outcomes).length]).toEqual([200, 2000, 2000]);
  expect(counts).toMatchObject({ modules_left_out: 101, outcomes_left_out: 101 });
  const lidar = Object(modules).find((one: object) => Object(one).module_id === 'acme:lidar');
  expect(lidar).toMatchObject({ machines: 2 });
  const done = Object(outcomes).find((one: object) => Object(one).version === '1.2.9');
  expect(done).toMatchObject({ outcomes: 2 });
});

it('[T252] a page of machines or of states ends where it is large, and the next one goes on', async () => {
  const { send, read } = attacked();
  const ids = Array.from({ length: 12 }, (_none, place) => `rover-${place + 10}`);
  for (const [place, id] of ids.entries()) {
    const modules = Array.from({ length: 30 }, (_none, one) => ({
      name: `m${one}`,
      facts: { text: `${place} ${one} `.padEnd(32_000, 'x') },
      stops: Array.from({ length: 10 }, () => 'x'.repeat(80)),
    }));
    await send(machineReport([], { state: reportedState(1, ...modules) }), id);
  }
  const named: string[] = [];
  let pages = 0;
  for (let after: unknown = ''; after !== null; pages++) {
    const [status, { machines, next }] = await read(
      `/machines?limit=1000&after=${JSON.stringify(after).replaceAll('"', '')}`,
    );
    expect(status).toBe(200);
    named.push(...Object(machines).map(({ id }: { id: string }) => id));
    after = next;
  }
  expect([pages, named]).toEqual([4, ids]);
  let states = 0;
  pages = 0;
  for (let after: unknown = 0; after !== null; pages++) {
    const [status, page] = await read(
      `/modules/acme/lidar?after=${JSON.stringify(after).replaceAll('"', '')}`,
    );
    expect(status).toBe(200);
    states += Object(page['states']).length;
    after = page['next'];
  }
  expect([pages, states]).toEqual([6, 360]);
});
