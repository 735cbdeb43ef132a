import { expect, it, onTestFinished } from 'vitest';
import { dirname, join } from 'node:path';
import { DEFAULT_POLICY, configurationFrom } from '../../src/config/index.ts';
import { Poller } from '../../src/poller/index.ts';
import { openForPoller, openMachineFile, targetsIn } from '../../src/store/index.ts';
import {
  testMachine,
  testRegistry,
  virtualClock,
  type TestMachine,
} from '../../src/testing/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import type { NewAction } from '../../src/core/plan/committed-action.ts';
import { claimed, commitOne } from '../support/claimed.ts';
import { logged } from '../support/machine-home.ts';
import { HOUR, MINUTE } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';

const SHA = `sha256:${'3f8a91c20b7d'.repeat(5)}beef`;
const LIDAR = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };
const OWN = { type: 'local', name: 'own', module_id: 'acme:own', executable_path: '/opt/own' };
const NIGHT = { maintenance: [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }] };
const FILES = [{ platform: 'linux/arm64', url: 'https://files.example/a', digest: SHA }];
const RELEASES = { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.3.0', artifacts: FILES }] };
const ONE_O_CLOCK = Date.parse('2026-11-22T01:00:00Z');

function started(options: Partial<Parameters<typeof testMachine>[0]>): TestMachine {
  const machine = testMachine({
    machine: { modules: [LIDAR, OWN] },
    releases: RELEASES,
    deployed: { lidar: '1.2.3' },
    environment: { PLATFORM_HOME: '/var/platform' },
    ...options,
  });
  onTestFinished(async () => await machine.close());
  return machine;
}

/** The targets in short. */
function told({ poller }: TestMachine): unknown[] {
  return poller
    .targets()
    .map(({ target, deployed, decision, version, isHeld, until, next, root }) => {
      const running = deployed.kind === 'version' ? deployed.version.text : deployed.kind;
      return { name: target.name, deployed: running, decision, version, isHeld, until, next, root };
    });
}

const NOTHING = { isHeld: false, until: undefined, next: undefined, root: undefined };
const LOCAL = {
  ...NOTHING,
  name: 'own',
  deployed: 'unknown',
  decision: 'local',
  version: undefined,
};

it('[D340] the targets of a poller are held until a window opens, and have the folder of what it deployed then', async () => {
  const machine = started({ policy: NIGHT });
  expect(told(machine)).toEqual([]);
  await machine.pass(3 * MINUTE);
  expect(told(machine)).toEqual([
    {
      name: 'lidar',
      deployed: '1.2.3',
      decision: 'hold',
      version: '1.3.0',
      isHeld: true,
      until: ONE_O_CLOCK,
      next: { at: ONE_O_CLOCK, because: 'window-opens', decision: 'upgrade', version: '1.3.0' },
      root: undefined,
    },
    LOCAL,
  ]);
  await machine.pass(14 * HOUR);
  expect(told(machine)).toEqual([
    {
      ...NOTHING,
      name: 'lidar',
      deployed: '1.3.0',
      decision: 'up-to-date',
      version: '1.3.0',
      root: '/var/platform/packages/acme/lidar/1.3.0-3f8a91c20b7d',
    },
    LOCAL,
  ]);
});

it('[D340] a subsystem is a target if its deployed version is known', async () => {
  const machine = started({ deployed: { 'platform-agent': '1.0.0' }, releases: {} });
  await machine.pass(3 * MINUTE);
  const names = machine.poller.targets().map(({ target }) => target.name);
  expect(names).toEqual(['lidar', 'own', 'platform-agent']);
});

const DONE = { kind: 'done' } as const;
const TERMS = { at: 7, quarantineUntil: 100, retryAt: 50 };
const FIRST = { to: '1.0.0', direction: 'install', artifact: undefined } as const;
const RESTARTED = { to: '1.1.0', direction: 'restart', artifact: undefined } as const;

it('[D340] an action that has not ended changes no folder', () => {
  const { state, path, ...file } = claimed();
  const { id } = commitOne(state, FIRST);
  state.deliver(id, 5);
  state.acknowledge(id, DONE, TERMS);
  commitOne(state, { ...FIRST, artifact: { platform: 'any', digest: 'sha256:bb' } });
  state.log(
    [logged('lidar', { moduleId: 'acme:lidar' })],
    { at: 1, trouble: undefined },
    new Map(),
  );
  const root = join(dirname(path), 'packages/acme/lidar/1.0.0');
  expect(targetsIn({ path, ...file }).map((one) => one.root)).toEqual([root]);
});

it.each<[string, Partial<NewAction>[], string | undefined]>([
  ['an action', [FIRST], 'packages/acme/lidar/1.0.0'],
  ['a later action of two', [FIRST, {}], 'packages/acme/lidar/1.1.0-aa'],
  [
    'a restart, which has no file, after an action',
    [{}, RESTARTED],
    'packages/acme/lidar/1.1.0-aa',
  ],
  ['only a restart', [RESTARTED], undefined],
])('[D340] the folder is that of %s', (_name, actions, folder) => {
  const { state, path, ...file } = claimed();
  for (const action of actions) {
    const { id } = commitOne(state, action);
    state.deliver(id, 5);
    state.acknowledge(id, DONE, TERMS);
  }
  state.log(
    [logged('lidar', { moduleId: 'acme:lidar' })],
    { at: 1, trouble: undefined },
    new Map(),
  );
  const root = folder === undefined ? undefined : join(dirname(path), folder);
  expect(targetsIn({ path, ...file }).map((one) => one.root)).toEqual([root]);
});

it('[D340] another process reads the same in the file', async () => {
  const home = temporaryFolder({});
  const path = join(home, 'machine.db');
  const clock = virtualClock(Date.parse('2026-11-21T12:00:00Z'));
  const registry = testRegistry(RELEASES, { clock });
  const { machine } = configurationFrom(JSON.stringify({ modules: [LIDAR] }));
  const terms = { ...DEFAULT_POLICY.terms, registry: registry.address };
  const file = openForPoller(path);
  const poller = new Poller({
    file,
    configuration: () => ({ machine, policy: { ...DEFAULT_POLICY, terms } }),
    registryFor: openRegistries({ fetch: registry.fetch, clock }).registryFor,
    platform: 'linux/arm64',
    deployedVersion: ({ kind }) => (kind === 'module' ? '1.2.3' : undefined),
    clock,
  });
  poller.start();
  await clock.pass(3 * MINUTE);
  const reader = openMachineFile(path, { mode: 'read' });
  onTestFinished(async () => {
    reader.close();
    await poller.stop();
    file.close();
    registry.close();
  });
  expect(targetsIn(reader)).toEqual(poller.targets());
  expect(targetsIn(reader).map(({ target, decision }) => `${target.name} ${decision}`)).toEqual([
    'lidar upgrade',
  ]);
});

it.each<[string, readonly unknown[]]>([
  ['found "machine.db" as file, expected a MachineFile of openMachineFile()', ['machine.db']],
  [
    'found the number 5 as options.home, expected text or nothing',
    [{ close: () => 0 }, { home: 5 }],
  ],
  ['found "hom" in options, expected "home"', [{ close: () => 0 }, { hom: '/' }]],
])('[D340] targetsIn(): %s', (message, [file, options]) => {
  expect(() => targetsIn(file as never, options as never)).toThrow(
    new TypeError(`targetsIn(): ${message}`),
  );
});
