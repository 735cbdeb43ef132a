import { expect, it } from 'vitest';
import type { Delivery } from '../../src/poller/index.ts';
import { day, HOUR, MINUTE, targetNamed, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const HOME = { PLATFORM_HOME: '/var/platform' };

function release(version: string, more: object = {}) {
  const patch = version.split('.')[2] ?? '';
  const digest = `sha256:${`a${patch}`.repeat(32)}`;
  const url = `https://files.example/${version}`;
  const artifacts = [{ platform: 'linux/arm64', url, digest }];
  return Object.assign({ version, artifacts }, more);
}

async function machineWith(options: Partial<DayOptions>): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': ['1.2.3', '1.2.4'].map((version) => release(version)) },
    environment: HOME,
    ...options,
  });
  await machine.pass(3 * MINUTE);
  return machine;
}

async function nextOf(machine: Day): Promise<Delivery> {
  await machine.pass(HOUR);
  const delivery = machine.deliveries.shift();
  if (!delivery) throw new Error('nothing was delivered');
  return delivery;
}

it('[D37] a delivery names the release that may be deployed again, its file and its folder', async () => {
  const { action, rollback } = await nextOf(await machineWith({}));
  expect(action.to).toBe('1.2.4');
  expect(rollback).toEqual({
    version: '1.2.3',
    artifact: {
      platform: 'linux/arm64',
      url: 'https://files.example/1.2.3',
      digest: `sha256:${'a3'.repeat(32)}`,
    },
    root: '/var/platform/packages/acme/lidar/1.2.3-a3a3a3a3a3a3',
  });
});

it.each<[string, Partial<DayOptions>, string | undefined]>([
  ['the newest other release for a first install', { deployed: { acme_lidar: null } }, '1.2.3'],
  [
    'the newest other release if the deployed one was yanked',
    {
      releases: {
        'acme:lidar': [release('1.2.2'), release('1.2.3', { yanked: 'hot' }), release('1.2.4')],
      },
    },
    '1.2.2',
  ],
  [
    'nothing if the deployed version is not in the list, and no other is',
    { releases: { 'acme:lidar': [release('1.2.4')] } },
    undefined,
  ],
  [
    'nothing for a pin, because no other version may be selected',
    { machine: { modules: [entry('acme:lidar', '1.2.4')] } },
    undefined,
  ],
])('[D37] a delivery permits %s', async (_, options, version) => {
  const { action, rollback } = await nextOf(await machineWith(options));
  expect([action.to, rollback?.version]).toEqual(['1.2.4', version]);
});

it('[D37] the delivery of a rollback permits none to the version that failed', async () => {
  const machine = await machineWith({});
  const upgrade = await nextOf(machine);
  await upgrade.failed({ reason: 'it hangs', running: null, blame: 'release' });
  const { action, rollback } = await nextOf(machine);
  expect([action.direction, action.to, rollback]).toEqual(['rollback', '1.2.3', undefined]);
});

it('[D37] what a delivery permits is what is decided if that happens', async () => {
  const releases = { 'acme:lidar': ['1.2.1', '1.2.2', '1.2.4'].map((one) => release(one)) };
  const machine = await machineWith({ releases, deployed: { acme_lidar: '1.2.1' } });
  for (let left = 3; left > 0; left--) {
    const { rollback, failed } = await nextOf(machine);
    await failed({ reason: 'it hangs', running: null, blame: 'release' });
    await machine.pass(MINUTE);
    const [next] = machine.deliveries;
    expect(next?.action.to).toBe(rollback?.version);
    expect(next?.folders.root).toBe(rollback?.root);
    expect(next?.action.artifact).toEqual(rollback?.artifact);
  }
  expect(machine.state.memory().of(targetNamed('acme_lidar')).quarantine).toHaveLength(3);
});

it('[D37] the delivery of an address permits none', async () => {
  const agent = { 'platform-server': { pin_url: 'https://builds.example/server' } };
  const machine = await machineWith({
    machine: { agent },
    deployed: { 'platform-server': '1.0.0' },
    releases: { 'platform:server': ['1.0.0'].map((version) => release(version)) },
  });
  const { action, rollback } = await nextOf(machine);
  expect([action.to, rollback]).toEqual(['https://builds.example/server', undefined]);
});
