import { expect, it, onTestFinished } from 'vitest';
import {
  CATALOGUES,
  testMachine,
  type Releases,
  type TestMachine,
} from '../../src/testing/index.ts';
import { HOUR, MINUTE } from '../support/day.ts';

const MACHINE = {
  modules: [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.2.*' }],
};
const NIGHT = { maintenance: [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }] };
/** A release with a file for one platform. */
function on(version: string, platform: string): Exclude<Releases[string][number], string> {
  const url = `https://files.example/${version}`;
  return { version, artifacts: [{ platform, url, digest: `sha256:${'ab'.repeat(32)}`, size: 1 }] };
}

const TWO = { 'acme:lidar': ['1.2.3', '1.2.4'] };

function started(options: Partial<Parameters<typeof testMachine>[0]> = {}): TestMachine {
  const machine = testMachine({
    machine: MACHINE,
    releases: CATALOGUES.lidar,
    deployed: { lidar: '1.2.3' },
    ...options,
  });
  onTestFinished(async () => await machine.close());
  return machine;
}

it('upgrades when the maintenance window opens', async () => {
  const machine = started({ policy: NIGHT, now: '2026-11-21T00:00:00Z' });
  await machine.pass(HOUR - 1);
  expect(machine.deployed.get('lidar')).toBe('1.2.3');
  await machine.pass(2 * MINUTE);
  expect(machine.deployed.get('lidar')).toBe('1.2.9');
  expect(machine.deliveries.map(({ action }) => [action.direction, action.to])).toEqual([
    ['upgrade', '1.2.9'],
  ]);
});

it('a publication is delivered within a second, through the change feed', async () => {
  const machine = started();
  await machine.pass(HOUR);
  machine.registry.publish('acme:lidar', '1.2.11');
  await machine.pass(1000);
  expect(machine.deployed.get('lidar')).toBe('1.2.11');
});

it('an outage ends with the registry', async () => {
  const machine = started({ releases: TWO, deployed: { lidar: '1.2.4' } });
  await machine.pass(5 * MINUTE);
  machine.registry.break({ kind: 'offline', times: Infinity });
  const during = await machine.pass(10 * MINUTE);
  machine.registry.mend();
  const after = await machine.pass(10 * MINUTE);
  expect([during, after].map((events) => events.map(({ kind }) => kind))).toEqual([
    ['registry-unavailable'],
    ['registry-available'],
  ]);
});

it('carryOut is the agent: a release that it reports as failed is rolled back', async () => {
  const machine = started({
    releases: TWO,
    carryOut: async ({ action, done, failed }) => {
      if (action.to !== '1.2.4') return await done();
      await failed({ reason: 'no points for 30 s', running: '1.2.4', blame: 'release' });
    },
  });
  await machine.pass(5 * MINUTE);
  expect(machine.deliveries.map(({ action }) => [action.direction, action.to])).toEqual([
    ['upgrade', '1.2.4'],
    ['rollback', '1.2.3'],
  ]);
});

it('another machine config or policy is in force from the next round on', async () => {
  const machine = started({ policy: NIGHT });
  await machine.pass(HOUR);
  expect(machine.deployed.get('lidar')).toBe('1.2.3');
  machine.configure({ policy: {} });
  await machine.pass(2 * MINUTE);
  expect(machine.deployed.get('lidar')).toBe('1.2.9');
  machine.configure({ machine: { modules: [{ ...MACHINE.modules[0], version: '2.*' }] } });
  await machine.pass(10 * MINUTE);
  expect(machine.deployed.get('lidar')).toBe('2.0.1');
});

it('another machine config keeps the policy, and another policy the machine config', async () => {
  const machine = started({ policy: NIGHT });
  machine.configure({ machine: { modules: [{ ...MACHINE.modules[0], version: '2.*' }] } });
  await machine.pass(HOUR);
  expect(machine.deployed.get('lidar')).toBe('1.2.3');
  machine.configure({ policy: {} });
  await machine.pass(2 * MINUTE);
  expect(machine.deployed.get('lidar')).toBe('2.0.1');
});

it('a policy may name another registry, where nothing listens', async () => {
  const machine = started({ policy: { registry: 'https://other.example' } });
  const events = await machine.pass(5 * MINUTE);
  expect(events.map(({ kind }) => kind)).toContain('registry-unavailable');
  expect(machine.registry.requests).toEqual([]);
});

it('runs on linux/arm64', async () => {
  const releases = { 'acme:lidar': [on('1.2.4', 'linux/arm64'), on('1.2.5', 'linux/amd64')] };
  const machine = started({ releases });
  await machine.pass(5 * MINUTE);
  expect(machine.deployed.get('lidar')).toBe('1.2.4');
});

it('the agent may carry out several actions at once', async () => {
  const [lidar] = MACHINE.modules;
  const modules = [lidar, { ...lidar, name: 'arm', module_id: 'acme:arm' }];
  const both = Promise.withResolvers<undefined>();
  const machine = started({
    machine: { modules },
    releases: { ...TWO, 'acme:arm': ['1.2.3', '1.2.4'] },
    deployed: { lidar: '1.2.3', arm: '1.2.3' },
    carryOut: async ({ done }) => {
      if (machine.deliveries.length === 2) both.resolve(undefined);
      await both.promise;
      await done();
    },
  });
  await machine.pass(5 * MINUTE);
  expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.2.4', '1.2.4']);
  expect(machine.events.filter(({ kind }) => kind === 'acknowledged')).toHaveLength(2);
});

it('by default, a version is deployed before its action is acknowledged', async () => {
  const versions: unknown[] = [];
  const machine = started({
    onEvent: ({ kind }) => {
      if (kind === 'acknowledged') versions.push(machine.deployed.get('lidar'));
    },
  });
  await machine.pass(5 * MINUTE);
  expect(versions).toEqual(['1.2.9']);
});

it('all problems of a document are in one error', () => {
  expect(() => started({ machine: { modules: 7, components: 'x' } })).toThrow(
    /^testMachine\(\): machine: \/modules: .*\ntestMachine\(\): machine: \/components: .*$/,
  );
});

it('a machine that is closed requests nothing more, and has closed its registry and its file', async () => {
  const machine = testMachine({
    machine: MACHINE,
    releases: CATALOGUES.lidar,
    deployed: { lidar: '1.2.3' },
    carryOut: () => undefined,
  });
  await machine.pass(5 * MINUTE);
  const [delivery] = machine.deliveries;
  if (!delivery) throw new Error('nothing was delivered');
  const { requests } = machine.registry;
  const before = [...requests];
  await machine.close();
  await machine.clock.pass(HOUR);
  expect(requests).toEqual(before);
  expect(() => machine.registry.publish('acme:lidar', '9.0.0')).toThrow('closed');
  await expect(delivery.done()).rejects.toThrow('closed');
});

it('a machine has the options of a poller, and events reach the test', async () => {
  const kinds: string[] = [];
  const machine = started({
    isMaintenanceAllowed: () => false,
    onEvent: ({ kind }) => kinds.push(kind),
  });
  await machine.pass(HOUR);
  expect([machine.deployed.get('lidar'), machine.deliveries]).toEqual(['1.2.3', []]);
  expect(kinds).toEqual(machine.events.map(({ kind }) => kind));
});

it.each<[unknown, string, ErrorConstructor]>([
  [undefined, 'nothing', TypeError],
  [Number.NaN, 'the number NaN', RangeError],
  [Infinity, 'the number Infinity', RangeError],
  [1e18, 'the number 1000000000000000000', RangeError],
  [-5, 'the number -5', RangeError],
  ['60000', '"60000"', TypeError],
])('[D429] pass(%o) rejects at once', async (ms, found, Wrong) => {
  const message = `pass(): found ${found} as ms, expected milliseconds from 0 to 3155760000000`;
  await expect(started().pass(ms as number)).rejects.toThrow(new Wrong(message));
});

it('an onEvent that rejects is a callback-error, as in a Poller', async () => {
  const error = new Error('no log');
  const machine = started({
    onEvent: async ({ kind }) => {
      if (kind === 'committed') await Promise.reject(error);
    },
  });
  const events = await machine.pass(5 * MINUTE);
  expect(events).toContainEqual({ kind: 'callback-error', error });
});

it.each([
  [
    { machine: { modules: [{ type: 'registry', name: 'lidar' }] } },
    '/modules/0: module_id is required',
  ],
  [{ policy: { on_yank: 'x' } }, '/on_yank: "x" is not keep or replace'],
  [{ now: 'noon' }, 'now is "noon", expected an RFC 3339 time'],
  [{ releases: { lidar: ['1.0.0'] } }, '"lidar" is not a module id'],
])('%j cannot be used', (options, message) => {
  expect(() => testMachine({ machine: MACHINE, ...options })).toThrow(message);
});
