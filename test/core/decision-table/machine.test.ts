import { describe, expect, it } from 'vitest';
import { type Plan } from '../../../src/core/index.ts';
import { startUpOf } from '../../../src/core/machine/start-up.ts';
import { subsystemTargets } from '../../../src/core/plan/subsystem.ts';
import { told } from '../../support/decided.ts';
import { agentOf, component, entry, known, plan, restarts } from '../../support/planned.ts';

function decisions({ modules, subsystems }: Plan): string[] {
  return [
    ...modules.map(({ name, decision }) => `${name} ${told(decision)}`),
    ...subsystems.map(({ target, decision }) => `${target.name} ${told(decision)}`),
  ];
}

function targetNames(agent: object): string[] {
  return subsystemTargets(agentOf(agent)).map(({ name }) => name);
}

const LIDAR = { modules: [entry('acme:lidar', '1.2.*')] };
const UPGRADE = { acme_lidar: known('1.2.3', ['1.2.3', '1.2.9']) };
const UNKNOWN = 'stuck deployed-unknown: the deployed version is not known';

describe('D23: local modules', () => {
  it('D23 are kept and never resolved', () => {
    const modules = [{ type: 'local', name: 'own', module_id: 'acme:own', version: '1.0.0' }];
    const answer = plan({ modules }, { own: known('0.9.0', ['2.0.0']) });
    expect(decisions(answer)[0]).toBe('own local: local module: available only on this machine');
    expect([answer.modules[0]?.latest, answer.restarts]).toEqual([undefined, []]);
  });
});

describe('D24: two entries with one module_id', () => {
  it('D24 each is resolved separately, with a warning', () => {
    const modules = [entry('acme:lidar', '1.2.*'), entry('acme:lidar', 'latest', 'second')];
    const list = ['1.2.3', '1.2.9', '2.0.0'];
    const answer = plan(
      { modules },
      { acme_lidar: known('1.2.9', list), second: known('1.2.9', list) },
    );
    expect(decisions(answer).slice(0, 2)).toEqual([
      'acme_lidar up-to-date: already the newest patch of 1.2',
      'second upgrade to 2.0.0: newest release; new major: read its release notes',
    ]);
    const kinds = answer.modules.map(({ warnings }) => warnings.map(({ kind }) => kind));
    expect(kinds).toEqual([['conflicting-constraints'], ['conflicting-constraints']]);
  });
});

describe('D26: server, agent and modules due together', () => {
  const document = {
    ...LIDAR,
    components: [component('lidar', 'acme:lidar:vlp16', 'board'), component('board', 'gpio')],
  };
  const server = known('1.0.0', ['1.1.0']);
  const agent = known('0.9.0', ['0.9.1']);

  it('D26 only a module is due: it stops its own components', () => {
    expect(restarts(plan(document, UPGRADE))).toEqual([
      'modules: acme_lidar upgrade 1.2.9 | lidar',
    ]);
  });

  it('D26 the restart of the server absorbs the restarts of modules', () => {
    const subsystems = new Map([['platform-server', server]] as const);
    expect(restarts(plan(document, UPGRADE, { subsystems }))).toEqual([
      'platform-server: acme_lidar upgrade 1.2.9, platform-server upgrade 1.1.0 | lidar, board',
    ]);
  });

  it('D26 the restart of the agent absorbs that of the server', () => {
    const subsystems = new Map([
      ['platform-agent', agent],
      ['platform-server', server],
    ] as const);
    expect(restarts(plan(document, UPGRADE, { subsystems }))).toEqual([
      'platform-agent: acme_lidar upgrade 1.2.9, platform-server upgrade 1.1.0, platform-agent upgrade 0.9.1 | lidar, board',
    ]);
  });

  it('D26 only the agent and a module are due: the agent stops the server and absorbs the module', () => {
    const subsystems = new Map([['platform-agent', agent]] as const);
    const answer = plan(document, UPGRADE, { subsystems });
    expect(restarts(answer)).toEqual([
      'platform-agent: acme_lidar upgrade 1.2.9, platform-agent upgrade 0.9.1 | lidar, board',
    ]);
    expect(answer.subsystems[0]?.stops.map((stop) => stop.component)).toEqual(['lidar', 'board']);
  });

  it('D26 a held server absorbs nothing', () => {
    const coolingDown = { ...server, restarts: [Date.parse('2026-11-20T23:59:00Z')] };
    const subsystems = new Map([['platform-server', coolingDown]] as const);
    expect(restarts(plan(document, UPGRADE, { subsystems }))).toEqual([
      'modules: acme_lidar upgrade 1.2.9 | lidar',
    ]);
  });

  it('D26 the first install of the server stops only the components of modules', () => {
    const subsystems = new Map([['platform-server', known(null, ['1.1.0'])]] as const);
    expect(restarts(plan(document, UPGRADE, { subsystems }))).toEqual([
      'platform-server: acme_lidar upgrade 1.2.9, platform-server install 1.1.0 | lidar',
    ]);
  });
});

describe('D27: which option determines the requirement of a subsystem', () => {
  const url = 'https://builds.example/server?token=hidden';
  it.each([
    ['no options: the channel stable', {}, 'release_channel', 'latest'],
    [
      'the channel latest',
      { release_channel: 'latest' },
      'release_channel',
      'latest-with-prerelease',
    ],
    [
      'pin_version takes precedence over the channel',
      { pin_version: '1.0.0' },
      'pin_version',
      'patch',
    ],
    [
      'D27 pin_url takes precedence over pin_version',
      { pin_url: url, pin_version: '1.0.0' },
      'pin_url',
      'pin-url',
    ],
    ['empty pins are ignored', { pin_url: '', pin_version: '' }, 'release_channel', 'latest'],
    [
      'disable_subsystem takes precedence over all others',
      { pin_url: url, pin_version: '1.0.0', disable_subsystem: true },
      'disable_subsystem',
      'disabled',
    ],
  ])('%s', (_, options, option, kind) => {
    const targets = subsystemTargets(agentOf({ 'platform-server': options }));
    const server = targets.find(({ name }) => name === 'platform-server');
    expect([server?.option, server?.requirement.kind]).toEqual([option, kind]);
  });

  it('subsystems without versions are listed only when they are disabled', () => {
    const off = { disable_subsystem: true };
    expect(targetNames({})).toEqual(['platform-agent', 'platform-server']);
    expect(targetNames({ 'agent-provisioning': off, 'agent-syscfg': off })).toEqual([
      'platform-agent',
      'platform-server',
      'agent-provisioning',
      'agent-syscfg',
    ]);
  });

  const pinned = { agent: { 'platform-server': { pin_url: url, pin_version: '1.0.0' } } };
  it.each<[string, string | null | undefined, string]>([
    [
      'another version is deployed',
      '2.0.0',
      'upgrade to https://builds.example/server: its pin_url differs from what is deployed',
    ],
    [
      'nothing is deployed',
      null,
      'install of https://builds.example/server: not deployed yet; from its pin_url',
    ],
    ['the same address is deployed', url, 'up-to-date: deployed from its pin_url'],
    [
      'an address with another query is deployed',
      `${url}2`,
      'upgrade to https://builds.example/server: its pin_url differs from what is deployed, but only in the query',
    ],
    ['the deployed version is unknown', undefined, UNKNOWN],
  ])('D27 a pin_url is set, and %s', (_, deployed, expected) => {
    const subsystems = new Map([['platform-server', known(deployed, ['9.0.0'])]] as const);
    const [, server] = plan(pinned, {}, { subsystems }).subsystems;
    expect(server && told(server.decision)).toBe(expected);
    const kinds = server?.warnings.map(({ kind }) => kind);
    expect(kinds).toEqual(['shadowed-pin', 'unverified-download']);
  });

  it.each([
    ['the channel', {}, 'upgrade to 1.1.0: newest release'],
    ['a pin', { pin_version: '1.0.0' }, 'upgrade to 1.0.0: pinned'],
  ])('D27 after pin_url is removed, its download is replaced by %s', (_, options, expected) => {
    const subsystems = new Map([['platform-server', known(url, ['1.0.0', '1.1.0'])]] as const);
    const agent = { 'platform-server': options };
    const [, server] = plan({ agent }, {}, { subsystems }).subsystems;
    expect(server && told(server.decision)).toBe(expected);
  });

  it('D36 the digest of a pin_url is the digest of its file', () => {
    const download = 'https://builds.example/server';
    const hex = '0a'.repeat(32);
    const agent = { 'platform-server': { pin_url: `${download}#sha256=${hex}` } };
    const subsystems = new Map([['platform-server', known('2.0.0', [])]] as const);
    const answer = plan({ agent }, {}, { subsystems });
    expect(answer.subsystems[1]?.warnings).toEqual([]);
    const artifact = { platform: 'linux/arm64', url: download, digest: `sha256:${hex}` };
    expect(answer.restarts[0]?.actions).toMatchObject([
      { to: `${download}#sha256=${hex}`, artifact },
    ]);
  });

  it('D27 an action contains the whole address, and its reason does not show the query', () => {
    const subsystems = new Map([['platform-server', known('2.0.0', [])]] as const);
    const [restart] = plan(pinned, {}, { subsystems }).restarts;
    expect(restart?.actions).toMatchObject([
      { from: '2.0.0', to: url, artifact: { platform: 'linux/arm64', url }, direction: 'upgrade' },
    ]);
    expect(restart?.actions[0]?.reason.text).not.toContain('hidden');
  });
});

describe('disabled subsystems', () => {
  it('with platform-server disabled, its modules are disabled and nothing stops', () => {
    const agent = { 'platform-server': { disable_subsystem: true } };
    const subsystems = new Map([['platform-agent', known('0.9.0', ['0.9.1'])]] as const);
    const components = [component('lidar', 'acme:lidar:vlp16')];
    const failed = {
      acme_lidar: { ...known('1.2.9', ['1.2.3']), quarantine: [{ version: '1.2.9' }] },
    };
    const answer = plan({ ...LIDAR, components, agent }, failed, { subsystems });
    expect(decisions(answer)).toEqual([
      'acme_lidar disabled: disabled by disable_subsystem',
      'platform-agent upgrade to 0.9.1: newest release',
      'platform-server disabled: disabled by disable_subsystem',
    ]);
    expect(restarts(answer)).toEqual(['platform-agent: platform-agent upgrade 0.9.1 | ']);
  });

  it('a target with an unknown deployed version is never replaced', () => {
    const answer = plan(LIDAR, {});
    expect(decisions(answer)).toEqual([
      `acme_lidar ${UNKNOWN}`,
      `platform-agent ${UNKNOWN}`,
      `platform-server ${UNKNOWN}`,
    ]);
  });
});

describe('D28: fast start', () => {
  const fast = { 'platform-server': { attributes: { fast_start: true } } };
  it.each([
    ['without it', {}, {}, true],
    ['fast_start', fast, {}, false],
    ['PLATFORM_AGENT_FAST_START=1', {}, { PLATFORM_AGENT_FAST_START: '1' }, false],
    ['PLATFORM_AGENT_FAST_START=0', {}, { PLATFORM_AGENT_FAST_START: '0' }, true],
    ['PLATFORM_AGENT_FAST_START=true', {}, { PLATFORM_AGENT_FAST_START: 'true' }, true],
  ])('D28 %s', (_, agent, environment, expected) => {
    expect(startUpOf(agentOf(agent), environment)).toEqual({
      waitsForNetwork: expected,
      checksForUpdates: expected,
    });
  });
});
