import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/poller/index.ts';
import { day, MINUTE, type DayOptions } from '../support/day.ts';

const SHA = `sha256:${'3f8a91c20b7d'.repeat(5)}beef`;
const ENTRY = { type: 'registry', name: 'front', module_id: 'acme:lidar', version: '1.*' };

/** The only delivery of a machine with one module at 1.2.3, which upgrades to 1.3.0. */
async function delivered(options: Partial<DayOptions> & { readonly entry?: object }) {
  const { entry = ENTRY, ...more } = options;
  const machine = await day({
    machine: { modules: [entry] },
    deployedVersion: () => '1.2.3',
    releases: {
      'acme:lidar': [
        { version: '1.2.3' },
        {
          version: '1.3.0',
          artifacts: [{ platform: 'linux/arm64', url: 'https://files.example/a', digest: SHA }],
        },
      ],
    },
    environment: { PLATFORM_HOME: '/var/platform' },
    ...more,
  });
  await machine.pass(3 * MINUTE);
  const [delivery] = machine.deliveries;
  if (!delivery) throw new Error('nothing was delivered');
  return { ...machine, delivery };
}

describe('a delivery has', () => {
  it('the module entry with unknown fields, and the terms of the policy for it', async () => {
    const { delivery } = await delivered({
      entry: { ...ENTRY, log: 'debug' },
      policy: { modules: { front: { restart_ceiling: 3 } } },
    });
    expect(delivery.entry).toEqual({
      type: 'registry',
      name: 'front',
      moduleId: 'acme:lidar',
      constraint: { kind: 'major', major: 1 },
      env: {},
      extra: { log: 'debug' },
    });
    expect(delivery.terms.restartCeiling).toBe(3);
  });

  const agent = { PLATFORM_HOME: '/var/platform', LIDAR_KEY: 's3cret', PLATFORM_API_KEY: 'agent' };
  it.each<[string, Partial<DayOptions> & { env?: object }, Delivery['environment'], object]>([
    [
      'with the home and the id of the machine',
      { environment: { ...agent, PLATFORM_PART_ID: 'rover-7' } },
      {
        ok: true,
        value: {
          PLATFORM_HOME: '/var/platform',
          PLATFORM_MODULE_ROOT: '/var/platform/packages/acme/lidar/1.3.0-3f8a91c20b7d',
          PLATFORM_MODULE_DATA: '/var/platform/module-data/rover-7/front/',
          PLATFORM_MODULE_ID: 'acme:lidar',
        },
      },
      {
        root: '/var/platform/packages/acme/lidar/1.3.0-3f8a91c20b7d',
        data: '/var/platform/module-data/rover-7/front',
      },
    ],
    [
      'with the variables of the entry, and the id that the agent names',
      { environment: agent, machineId: 'rover-8', env: { KEY: '${environment.LIDAR_KEY}' } },
      {
        ok: true,
        value: {
          PLATFORM_HOME: '/var/platform',
          PLATFORM_MODULE_ROOT: '/var/platform/packages/acme/lidar/1.3.0-3f8a91c20b7d',
          PLATFORM_MODULE_DATA: '/var/platform/module-data/rover-8/front/',
          PLATFORM_MODULE_ID: 'acme:lidar',
          KEY: 's3cret',
        },
      },
      {
        root: '/var/platform/packages/acme/lidar/1.3.0-3f8a91c20b7d',
        data: '/var/platform/module-data/rover-8/front',
      },
    ],
    [
      'or which variables it lacks',
      { environment: agent, env: { B: '${environment.NOT_SET}' } },
      { ok: false, error: [{ kind: 'unset-variable', variable: 'NOT_SET', reader: 'B' }] },
      {
        root: '/var/platform/packages/acme/lidar/1.3.0-3f8a91c20b7d',
        data: '/var/platform/module-data/local/front',
      },
    ],
  ])(
    'its environment and folders, %s',
    async (_case, { env, ...options }, environment, folders) => {
      const { delivery } = await delivered({ entry: { ...ENTRY, env }, ...options });
      expect([delivery.environment, delivery.folders]).toEqual([environment, folders]);
    },
  );

  it('the folder of the machine file as home, if the environment names none', async () => {
    const { delivery, home } = await delivered({ environment: { PLATFORM_PART_ID: '' } });
    expect(delivery.folders.data).toBe(`${home}/module-data/local/front`);
    expect(delivery.environment).toMatchObject({ value: { PLATFORM_HOME: home } });
  });

  it('a folder without a digest, if its file has none', async () => {
    const { delivery } = await delivered({ releases: { 'acme:lidar': ['1.2.3', '1.3.0'] } });
    expect(delivery.folders.root).toBe('/var/platform/packages/acme/lidar/1.3.0');
  });

  it('neither entry nor data for a subsystem, and no folder for a pin_url', async () => {
    const pinUrl = `https://builds.example/agent#${SHA.replace(':', '=')}`;
    const { delivery } = await delivered({
      machine: { agent: { 'platform-agent': { pin_url: pinUrl } } },
    });
    const { entry, environment, folders } = delivery;
    expect({ entry, environment, folders }).toEqual({
      entry: undefined,
      environment: { ok: true, value: { PLATFORM_HOME: '/var/platform' } },
      folders: { root: undefined, data: undefined },
    });
  });
});

it('a machine id must be a path segment', async () => {
  await expect(delivered({ machineId: '../other' })).rejects.toThrow(
    new RangeError('machineId is "../other", expected a single path segment'),
  );
});
