import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkProfile } from '../../../src/agent/system/keyfile.ts';
import { systemTarget } from '../../../src/agent/system/managed-files.ts';
import { secret } from '../../../src/core/text/secret.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { needs } from '../../support/prerequisite.ts';
import { HOTSPOT, JOURNAL, UPGRADES, YARD } from '../../support/system-site.ts';
import { agentWith, targetOf } from '../support/system-target.ts';
import { readAgentConfiguration } from '../../../src/config/index.ts';
import { value } from '../../support/reading.ts';

const HEAD = [
  'Written by modreg from the agent configuration of this machine.',
  'If you change it, modreg leaves it alone until you delete it.',
];

function lines(mark: string, ...rest: readonly string[]): string {
  return [...HEAD.map((line) => `${mark} ${line}`), ...rest, ''].join('\n');
}

const YARD_KEYFILE = lines(
  '#',
  '',
  '[connection]',
  'id=modreg-e5f77a374621dda7',
  'uuid=e5f77a37-4621-8da7-8023-372b7e0b4703',
  'type=wifi',
  'autoconnect-priority=-5',
  '',
  '[wifi]',
  'mode=infrastructure',
  'ssid=121;97;114;100;',
  '',
  '[wifi-security]',
  'key-mgmt=wpa-psk',
  String.raw`psk=\sa\\b;#\s\sc\s`,
  '',
  '[ipv4]',
  'method=auto',
  '',
  '[ipv6]',
  'method=auto',
);
const HOTSPOT_KEYFILE = lines(
  '#',
  '',
  '[connection]',
  'id=modreg-hotspot',
  'uuid=db5a6152-301e-8031-822a-17a6b435b302',
  'type=wifi',
  'autoconnect=false',
  '',
  '[wifi]',
  'mode=ap',
  'ssid=109;111;100;114;101;103;45;114;111;118;101;114;45;49;',
  '',
  '[wifi-security]',
  'key-mgmt=wpa-psk',
  'proto=rsn;',
  'pairwise=ccmp;',
  'group=ccmp;',
  'psk=hotspot-key',
  '',
  '[ipv4]',
  'method=shared',
  '',
  '[ipv6]',
  'method=ignore',
);
const yard = { ssid: 'yard', psk: String.raw` a\b;#  c `, priority: -5 };
const limits = { system_max_use: '16M', runtime_max_use: '8M' };
const journal = (...rest: readonly string[]): string => lines('#', '[Journal]', ...rest);
const BOTH = journal('SystemMaxUse=16777216', 'RuntimeMaxUse=8388608');
const ALL_UPGRADES = lines(
  '//',
  'APT::Periodic::Update-Package-Lists "1";',
  'APT::Periodic::Unattended-Upgrade "1";',
  'Unattended-Upgrade::Origins-Pattern { "origin=*"; };',
);

describe('the files of the system that a configuration asks for', () => {
  it.each<[string, object, object, [path: string, mode: string, content: string][]]>([
    ['nothing', {}, {}, []],
    ['networks without roaming', { networks: [yard] }, {}, []],
    ['a network', { roaming_mode: true, networks: [yard] }, {}, [[YARD, '600', YARD_KEYFILE]]],
    ['roaming without a network', { roaming_mode: true }, {}, []],
    ['a hotspot', { hotspot_password: 'hotspot-key' }, {}, [[HOTSPOT, '600', HOTSPOT_KEYFILE]]],
    ['a hotspot without a password', { hotspot_password: '' }, {}, []],
    ['limits', {}, { logging: limits }, [[JOURNAL, '644', BOTH]]],
    [
      'one',
      {},
      { logging: { system_max_use: '1K' } },
      [[JOURNAL, '644', journal('SystemMaxUse=1024')]],
    ],
    ['limits that are disabled', {}, { logging: { ...limits, disable: true } }, []],
    ['upgrades', {}, { upgrades: { type: 'all' } }, [[UPGRADES, '644', ALL_UPGRADES]]],
  ])('%s', (_what, provisioning, syscfg, expected) => {
    const { files } = targetOf(provisioning, syscfg);
    expect(files.map(({ path, mode, content }) => [path, mode.toString(8), content])).toEqual(
      expected,
    );
  });

  it('are none of a subsystem that is disabled', () => {
    const attributes = { roaming_mode: true, networks: [yard], hotspot_password: 'hotspot-key' };
    const agent = {
      'agent-provisioning': { disable_subsystem: true, attributes },
      'agent-syscfg': {
        disable_subsystem: true,
        attributes: { logging: limits, upgrades: { type: 'all' } },
      },
    };
    const read = value(readAgentConfiguration(JSON.stringify(agent)));
    expect(systemTarget(read, undefined, 'h')).toEqual({
      files: [],
      networks: [],
      hotspot: undefined,
    });
  });

  it("are those of the manufacturer where the machine's attributes do not override them", () => {
    const manufacturer = agentWith({
      roaming_mode: true,
      networks: [yard],
      hotspot_password: 'hotspot-key',
    });
    const ids = (own: object): string[] => {
      const { networks, hotspot } = systemTarget(agentWith(own), manufacturer, 'h');
      return [...networks.map(({ ssid }) => ssid), hotspot?.ssid ?? 'no hotspot'];
    };
    expect(ids({})).toEqual(['yard', 'modreg-h']);
    expect(ids({ networks: [{ ssid: 'dock' }], hotspot_password: '' })).toEqual([
      'dock',
      'no hotspot',
    ]);
    expect(ids({ roaming_mode: false })).toEqual(['modreg-h']);
  });

  it('has the networks in the order of their priorities, and then of the document', () => {
    const networks = [
      { ssid: 'a' },
      { ssid: 'b', priority: 999 },
      { ssid: 'c', priority: -999 },
      { ssid: 'd' },
    ];
    const target = targetOf({ roaming_mode: true, networks });
    expect(target.networks.map(({ ssid }) => ssid)).toEqual(['b', 'a', 'd', 'c']);
  });

  it('names the hotspot in at most 32 bytes', () => {
    const target = systemTarget(
      agentWith({ hotspot_password: 'hotspot-key' }),
      undefined,
      'h'.repeat(64),
    );
    expect(target.hotspot?.ssid).toBe(`modreg-${'h'.repeat(25)}`);
  });
});

/** The values that NetworkManager itself reads from a keyfile: what its own command writes for the same profile. */
function asNetworkManagerReads(keyfile: string): string[] {
  const modify = ['--offline', 'connection', 'modify', 'connection.autoconnect-retries', '1'];
  const { stdout, stderr } = spawnSync('nmcli', modify, { input: keyfile, encoding: 'utf8' });
  return (stdout || stderr)
    .split('\n')
    .filter((line) => /^(?:id|uuid|auto|mode|ssid|psk|key-mgmt|method)/.test(line));
}

function asNetworkManagerWrites(ssid: string, psk: string | undefined): string[] {
  const security = psk === undefined ? [] : ['wifi-sec.key-mgmt', 'wpa-psk', 'wifi-sec.psk', psk];
  const { id, uuid } = networkProfile({ type: 'wifi', ssid, psk: undefined, priority: 0 });
  const own = ['con-name', id, 'connection.uuid', uuid, 'connection.autoconnect-retries', '1'];
  const rest = [
    'connection.autoconnect-priority',
    '-7',
    'ipv4.method',
    'auto',
    'ipv6.method',
    'auto',
  ];
  const add = [
    '--offline',
    'connection',
    'add',
    'type',
    'wifi',
    'ssid',
    ssid,
    ...own,
    ...rest,
    ...security,
  ];
  const { stdout, stderr } = spawnSync('nmcli', add, { encoding: 'utf8' });
  return asNetworkManagerReads(stdout || stderr);
}

function hasNmcli(): boolean {
  return spawnSync('nmcli', ['--version']).status === 0;
}

describe('NetworkManager itself reads from our keyfile what its own command writes', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const ssids = text.filter((one) => !/\p{Cc}/u.test(one) && Buffer.byteLength(one) <= 32);
  const key = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 63 });
  const keys = fc.option(key, { nil: undefined });

  it('for any SSID and key', (context) => {
    needs(context, hasNmcli(), 'NetworkManager is not installed');
    const property = fc.property(ssids, keys, (ssid, psk) => {
      const network = {
        type: 'wifi',
        ssid,
        psk: psk === undefined ? undefined : secret(psk),
        priority: -7,
      } as const;
      const read = asNetworkManagerReads(networkProfile(network).content);
      expect(read).toEqual(asNetworkManagerWrites(ssid, psk));
      expect(read).toContain('autoconnect-priority=-7');
    });
    const examples: [string, string | undefined][] = [
      [' \\;"#[=', ' \\s\\;"#[='],
      ['1;2;3', '0'.repeat(64)],
      ['\u202e\u{1f916}', `${' '.repeat(62)}~`],
      ['日'.repeat(10), undefined],
    ];
    fc.assert(property, { numRuns: 20, examples });
  });
});

it('apt reads the fragment of upgrades, and systemd that of the journal', (context) => {
  needs(context, spawnSync('apt-config', ['--version']).status === 0, 'apt is not installed');
  const { files } = targetOf({}, { logging: limits, upgrades: { type: 'all' } });
  const [journald, apt] = files.map(({ content }) => content);
  const folder = temporaryFolder({
    fragment: apt ?? '',
    'etc/systemd/journald.conf.d/90-modreg.conf': journald ?? '',
  });
  const dump = spawnSync('apt-config', ['-c', `${folder}/fragment`, 'dump'], { encoding: 'utf8' });
  expect(dump.stdout).toContain('Unattended-Upgrade::Origins-Pattern:: "origin=*";\n');
  expect(dump.stdout).toContain('APT::Periodic::Unattended-Upgrade "1";\n');
  const cat = ['--root', folder, 'cat-config', 'systemd/journald.conf'];
  const shown = spawnSync('systemd-analyze', cat, { encoding: 'utf8' });
  expect(shown.stdout).toContain('\n[Journal]\nSystemMaxUse=16777216\nRuntimeMaxUse=8388608\n');
});
