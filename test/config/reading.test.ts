import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fakeBoardOf,
  mergeProvisioning,
  readAgentConfiguration,
  readMachine,
  readUpdatePolicy,
  termsFor,
} from '../../src/config/index.ts';
import { ROOT } from '../support/modreg.ts';
import { value } from '../support/reading.ts';

const GOOD = join(ROOT, 'test/fixtures/documents/good');

function agent(document: object): ReturnType<typeof readAgentConfiguration> {
  return readAgentConfiguration(JSON.stringify(document));
}

describe('a machine config', () => {
  it('is read as domain types', () => {
    const machine = value(readMachine(readFileSync(join(GOOD, 'machine/full.json'))));
    expect(machine.components[0]).toEqual({
      name: 'front-lidar',
      model: { kind: 'modular', moduleId: 'acme:lidar', name: 'vlp16' },
      type: 'camera',
      namespace: 'rdk',
      attributes: { rate_hz: 10 },
      dependsOn: ['base'],
    });
    expect(machine.components[1]?.model).toEqual({ kind: 'built-in', name: 'fake' });
    expect(machine.modules).toEqual([
      {
        type: 'registry',
        name: 'acme_lidar',
        moduleId: 'acme:lidar',
        // The version is parsed to a constraint here, once.
        constraint: { kind: 'minor', major: 1, minor: 2 },
        env: { LOG_LEVEL: 'info', DATA: '${environment.HOME}/lidar' },
        extra: {},
      },
    ]);
  });

  it('is empty by default, and its agent has the defaults of the reference', () => {
    expect(value(readMachine('{}'))).toEqual({
      components: [],
      modules: [],
      agent: value(readAgentConfiguration('{}')),
    });
  });

  it('has components without attributes and dependencies', () => {
    const component = { name: 'base', model: 'fake', type: 'base', namespace: 'rdk' };
    const machine = value(readMachine(JSON.stringify({ components: [component] })));
    expect(machine.components[0]).toMatchObject({ attributes: {}, dependsOn: [] });
  });

  it('keeps the attributes of a fake board unchanged, and reads them on request', () => {
    const { components } = value(readMachine(readFileSync(join(GOOD, 'machine/full.json'))));
    const board = components.find(({ type }) => type === 'board');
    expect(board?.attributes['fail_new']).toBe(false);
    expect(board && fakeBoardOf(board)).toEqual({
      failNew: false,
      analogs: [
        {
          name: 'battery',
          pin: '0',
          chipSelect: '0',
          spiBus: '1',
          averageOverMs: 10,
          samplesPerSec: 50,
        },
      ],
      digitalInterrupts: [{ name: 'bumper', pin: '11' }],
    });
    expect(components.filter((component) => fakeBoardOf(component) === undefined)).toHaveLength(2);
  });

  it('[T6] has no value if it has an error, so that the previous one stays in use', () => {
    const reading = readMachine('{"components": [], }');
    expect(reading).toMatchObject({ ok: false, errors: 1 });
    expect(reading).not.toHaveProperty('value');
  });

  it('[T7] reports forbidden keys, and pollutes no prototype', () => {
    const text =
      '{"components":[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]}';
    expect(readMachine(text)).toMatchObject({ ok: false, errors: 7 });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('an agent configuration', () => {
  it('has the defaults of the reference', () => {
    expect(value(agent({}))).toEqual({
      platformAgent: { releaseChannel: 'stable', pinVersion: undefined, pinUrl: undefined },
      platformServer: {
        releaseChannel: 'stable',
        pinVersion: undefined,
        pinUrl: undefined,
        disableSubsystem: false,
        fastStart: false,
        isConfigured: false,
      },
      provisioning: {
        disableSubsystem: false,
        attributes: { hotspotPassword: undefined, roamingMode: undefined, networks: undefined },
      },
      systemConfiguration: {
        disableSubsystem: false,
        releaseChannel: undefined,
        logging: { disable: false, systemMaxUse: undefined, runtimeMaxUse: undefined },
        upgrades: undefined,
      },
    });
  });

  it('is read with all its fields', () => {
    const read = value(readAgentConfiguration(readFileSync(join(GOOD, 'agent/full.json'))));
    const { hotspotPassword, networks = [] } = read.provisioning.attributes;
    expect(hotspotPassword?.reveal()).toBe('<HOTSPOT_PASSWORD>');
    expect(networks.map(({ psk, ...network }) => [network, psk?.reveal()])).toEqual([
      [{ type: 'wifi', ssid: 'yard', priority: 10 }, '<WIFI_PASSWORD>'],
      [{ type: 'wifi', ssid: 'office', priority: -999 }, '<WIFI_PASSWORD>'],
    ]);
    expect(read.systemConfiguration).toEqual({
      disableSubsystem: false,
      releaseChannel: 'stable',
      logging: { disable: false, systemMaxUse: 536_870_912, runtimeMaxUse: 67_108_864 },
      upgrades: 'all',
    });
    expect(read.platformServer).toMatchObject({ releaseChannel: 'latest', fastStart: true });
  });

  it.each(['platform-server', 'agent-provisioning', 'agent-syscfg'])(
    'disables %s alone',
    (subsystem) => {
      const { platformServer, provisioning, systemConfiguration } = value(
        agent({ [subsystem]: { disable_subsystem: true } }),
      );
      expect({
        'platform-server': platformServer.disableSubsystem,
        'agent-provisioning': provisioning.disableSubsystem,
        'agent-syscfg': systemConfiguration.disableSubsystem,
      }).toEqual({
        'platform-server': false,
        'agent-provisioning': false,
        'agent-syscfg': false,
        [subsystem]: true,
      });
    },
  );

  it('[T13] reads pins as versions and addresses', () => {
    const read = value(readAgentConfiguration(readFileSync(join(GOOD, 'agent/pins.json'))));
    expect(read.platformAgent.pinVersion?.text).toBe('0.9.1-rc.2+a');
    expect(read.platformServer.pinUrl).toBe('https://192.168.1.5:8443/server?arch=arm64');
  });

  it('has networks of type wifi and priority 0 by default', () => {
    const read = value(
      readAgentConfiguration(readFileSync(join(GOOD, 'agent/network-defaults.json'))),
    );
    expect(read.provisioning.attributes.networks).toEqual([
      { type: 'wifi', ssid: 'open', psk: undefined, priority: 0 },
      { type: 'wifi', ssid: 'low', psk: undefined, priority: -999 },
      { type: 'wifi', ssid: 'high', psk: undefined, priority: 999 },
    ]);
  });

  it.each([
    ['1K', 1024],
    ['512M', 536_870_912],
    ['1G', 1_073_741_824],
    ['2T', 2_199_023_255_552],
    ['7P', 7_881_299_347_898_368],
    ['0K', 0],
    ['15E', 17_293_822_569_102_704_640],
  ])('reads the size %s as %d bytes', (size, bytes) => {
    const logging = { system_max_use: size };
    const read = value(agent({ 'agent-syscfg': { attributes: { logging } } }));
    expect(read.systemConfiguration.logging.systemMaxUse).toBe(bytes);
  });

  it.each([
    [{}, {}, [undefined, undefined, []]],
    [{}, { hotspot_password: 'hotspot-m', roaming_mode: false }, ['hotspot-m', false, []]],
    [
      { hotspot_password: 'hotspot-o' },
      { hotspot_password: 'hotspot-m', roaming_mode: true },
      ['hotspot-o', true, []],
    ],
    [{ roaming_mode: false }, { roaming_mode: true }, [undefined, false, []]],
    [{ hotspot_password: '' }, { hotspot_password: 'hotspot-m' }, ['', undefined, []]],
    [{ networks: [] }, { networks: [{ ssid: 'm' }] }, [undefined, undefined, []]],
    [{ networks: [{ ssid: 'o' }] }, { networks: [{ ssid: 'm' }] }, [undefined, undefined, ['o']]],
    [{ roaming_mode: true }, { networks: [{ ssid: 'm' }] }, [undefined, true, ['m']]],
  ])('with %j overrides a manufacturer with %j, for each attribute', (own, theirs, expected) => {
    const machine = value(agent({ 'agent-provisioning': { attributes: own } }));
    const manufacturer = value(agent({ 'agent-provisioning': { attributes: theirs } }));
    const { hotspotPassword, roamingMode, networks } = mergeProvisioning(machine, manufacturer);
    const ssids = networks.map(({ ssid }) => ssid);
    expect([hotspotPassword?.reveal(), roamingMode, ssids]).toEqual(expected);
  });
});

describe('an agent configuration inside a machine config', () => {
  it('is read from it, and the rest of the document is checked too', () => {
    const platformServer = { disable_subsystem: true };
    const document = { agent: { 'platform-server': platformServer }, modules: [] };
    expect(value(agent(document)).platformServer.disableSubsystem).toBe(true);
    expect(agent({ ...document, modules: 1 })).toMatchObject({ ok: false, errors: 1 });
  });
});

it('[T6] refuses a text with a byte order mark', () => {
  expect(readMachine('\ufeff{}').problems).toEqual([
    {
      severity: 'error',
      kind: 'bad-json',
      path: '',
      line: 1,
      column: 1,
      message: 'the document begins with a byte order mark, expected plain UTF-8',
      suggestion: undefined,
      hint: undefined,
    },
  ]);
});
it('the path of a problem is a JSON Pointer, even for names with special characters', () => {
  const { problems } = readMachine(JSON.stringify({ modules: [], 'a/b~\u001b': 1 }));
  expect(problems.map(({ path }) => path)).toEqual(['/a~1b~0\u001b']);
});

describe('an update policy', () => {
  it('is read with all its fields', () => {
    const policy = value(readUpdatePolicy(readFileSync(join(GOOD, 'policy/full.json'))));
    const terms = {
      registry: 'https://registry.example/v1',
      allowHttp: ['registry.local:8080'],
      minimumAge: { ms: 259_200_000, unknown: 'allow' },
      allowDowngrade: false,
      trust: `sha256:${'0385'.repeat(16)}`,
      trustClock: true,
      onYank: 'replace',
      requireDigest: false,
      quarantineMs: 1_209_600_000,
      restartCooldownMs: 600_000,
      restartCeiling: 6,
      maxIndexAgeMs: 259_200_000,
      envAllow: ['PLATFORM_PART_ID'],
      prefetch: false,
      longestHoldMs: 604_800_000,
      diskReserveMib: 64,
      run: {
        command: ['bin/lidar', '--quiet'],
        runAs: 'rover',
        noNewPrivs: true,
        ready: { kind: 'http', url: 'http://127.0.0.1:8080/health' },
        readyMs: 30_000,
        probationMs: 60_000,
        probeMs: 10_000,
        stopMs: 20_000,
        selfUpdate: false,
        restartStatus: 'http://127.0.0.1:8080/restart',
        onUnclearStatus: 'hold',
      },
    };
    const { window, blackouts, ...rest } = policy.terms;
    expect([rest, blackouts?.length]).toEqual([terms, 2]);
    expect(policy.logs).toEqual({
      endpoint: 'https://collector.example/v1/logs',
      headers: {
        authorization: 'Bearer ${environment.COLLECTOR_TOKEN}',
        'x-scope-orgid': 'site-7',
      },
    });
    const opens = Date.parse('2026-11-21T01:00:00Z');
    expect([window?.nextOpening(opens - 1), window?.closing(opens)]).toEqual([
      opens,
      opens + 7_200_000,
    ]);
    expect(termsFor(policy, 'acme_lidar')).toEqual({
      ...terms,
      blackouts,
      minimumAge: { ms: 0, unknown: 'allow' },
      window: undefined,
      quarantineMs: undefined,
    });
    expect(termsFor(policy, 'toString')).toBe(policy.terms);
  });
});
