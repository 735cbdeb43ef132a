import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/config/index.ts';
import { type Plan } from '../../../src/core/index.ts';
import type { SubsystemPlan } from '../../../src/core/plan/plan.ts';
import { isReportedSubsystem } from '../../../src/core/plan/subsystem-row.ts';
import { RESTARTED_BY_UPDATE } from '../../../src/core/plan/subsystem.ts';
import { aged } from '../../support/decides.ts';
import { component, entry, known, plan, restarts } from '../../support/planned.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.2.*')] };
const UPGRADE = { acme_lidar: known('1.2.3', ['1.2.3', '1.2.9']) };

function server(answer: Plan): SubsystemPlan | undefined {
  return answer.subsystems.find(({ target }) => target.name === 'platform-server');
}

describe('terms and rows of subsystems', () => {
  const fromUrl = { 'platform-server': { pin_url: 'https://b.example/x' } };

  it('a pin_url without a pin_version has only the warning that it has no digest (D36)', () => {
    expect(server(plan({ agent: fromUrl }, {}))?.warnings).toEqual([
      { kind: 'unverified-download' },
    ]);
  });

  it('a subsystem is shown if its deployed version is known, or if it is disabled', () => {
    const subsystems = new Map([['platform-agent', known('1.0.0', [])]] as const);
    const agent = { 'agent-syscfg': { disable_subsystem: true } };
    const rows = plan({ agent }, {}, { subsystems }).subsystems;
    const shown = rows.map((row) => [row.target.name, isReportedSubsystem(row)]);
    expect(Object.fromEntries(shown)).toEqual({
      'platform-agent': true,
      'platform-server': false,
      'agent-syscfg': true,
    });
  });

  it('`latest` is the newest release of the channel', () => {
    const subsystems = new Map([
      ['platform-server', known('1.0.0', ['1.0.0', '1.1.0-rc.1'])],
    ] as const);
    const latest = { 'platform-server': { release_channel: 'latest', pin_version: '1.0.0' } };
    expect(server(plan({ agent: latest }, {}, { subsystems }))?.latest?.text).toBe('1.1.0-rc.1');
    expect(server(plan({}, {}, { subsystems }))?.latest?.text).toBe('1.0.0');
  });

  it('a subsystem has the terms that the policy lists under its name', () => {
    const subsystems = new Map([['platform-server', known('2.0.0', ['1.0.0'])]] as const);
    const agent = { 'platform-server': { pin_version: '1.0.0' } };
    const own = { ...DEFAULT_POLICY.terms, allowDowngrade: false };
    const policy = { ...DEFAULT_POLICY, modules: new Map([['platform-server', own]]) };
    expect(server(plan({ agent }, {}, { subsystems, policy }))?.decision.kind).toBe('hold');
    expect(server(plan({ agent }, {}, { subsystems }))?.decision.kind).toBe('replace');
  });

  it('a disabled subsystem shows the deployed version', () => {
    const subsystems = new Map([['platform-server', known('2.0.0', [])]] as const);
    const agent = { 'platform-server': { disable_subsystem: true } };
    const row = server(plan({ agent }, {}, { subsystems }));
    expect(row?.decision.input.deployed).toMatchObject({ version: { text: '2.0.0' } });
  });

  it('a first install of the server stops all components if the agent restarts too', () => {
    const components = [component('board', 'gpio')];
    const subsystems = new Map([
      ['platform-agent', known('0.9.0', ['0.9.1'])],
      ['platform-server', known(null, ['1.1.0'])],
    ] as const);
    expect(restarts(plan({ components }, {}, { subsystems }))).toEqual([
      'platform-agent: platform-server install 1.1.0, platform-agent upgrade 0.9.1 | board',
    ]);
  });

  it.each([
    ['platform-agent', ['platform-agent', 'platform-server']],
    ['platform-server', ['platform-server']],
  ] as const)('an update of %s restarts %j', (name, expected) => {
    expect(RESTARTED_BY_UPDATE[name]).toEqual(expected);
  });
});

describe('rows of modules', () => {
  it('[D31] `latest` does not depend on what this machine refuses, and may be a prerelease under latest-with-prerelease', () => {
    const untrusted = { version: '1.1.1', artifacts: [{ platform: 'any', url: 'file:///x' }] };
    const list = ['1.0.0', '1.1.0', untrusted, '1.2.0-rc.1'];
    const modules = [entry('acme:lidar', '1.*'), entry('acme:arm', 'latest-with-prerelease')];
    const lidar = known('1.0.0', list, { quarantine: [{ version: '1.1.0' }] });
    const answer = plan({ modules }, { acme_lidar: lidar, acme_arm: known('1.0.0', list) });
    expect(answer.modules.map(({ latest }) => latest?.text)).toEqual(['1.1.1', '1.2.0-rc.1']);
  });

  it.each([
    [undefined, '1.2.9'],
    ['allow', '1.2.9'],
    ['refuse', '1.2.3'],
  ] as const)('a release that is published later, with laterReleases %s', (laterReleases, to) => {
    const list = known('1.2.0', ['1.2.3', aged('1.2.9', -1)]);
    const { restarts: due } = plan(LIDAR, { acme_lidar: list }, { laterReleases });
    expect(due.flatMap(({ actions }) => actions.map((action) => action.to))).toEqual([to]);
  });

  it('`latest` is a release for the platform of the machine', () => {
    const other = { version: '1.3.0', artifacts: [{ platform: 'linux/amd64' }] };
    const [lidar] = plan(LIDAR, { acme_lidar: known('1.2.3', ['1.2.3', other]) }).modules;
    expect(lidar?.latest?.text).toBe('1.2.3');
  });

  it('a requested restart of a release that claims a later time has its file, which may be downloaded again', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const file = { platform: 'any', url: 'https://files.example/a', digest };
    const list = [{ ...aged('1.2.3', -1), artifacts: [file] }];
    const restartRequest = { requestedAt: 0, isImmediate: true };
    const { restarts: due } = plan(
      LIDAR,
      { acme_lidar: known('1.2.3', list, { restartRequest }) },
      { laterReleases: 'refuse' },
    );
    expect(due.flatMap(({ actions }) => actions)).toMatchObject([
      { direction: 'restart', artifact: file },
    ]);
  });

  it('a disabled module has no `latest`', () => {
    const agent = { 'platform-server': { disable_subsystem: true } };
    expect(plan({ ...LIDAR, agent }, UPGRADE).modules[0]?.latest).toBeUndefined();
  });

  it('D24 the warning comes in addition to those about the deployed version', () => {
    const modules = [entry('acme:lidar', '1.*'), entry('acme:lidar', '1.*', 'second')];
    const yanked = known('1.0.0', [{ version: '1.0.0', yanked: '' }]);
    const [first] = plan({ modules }, { acme_lidar: yanked, second: yanked }).modules;
    expect(first?.warnings.map(({ kind }) => kind)).toEqual([
      'ahead',
      'deployed-yanked',
      'conflicting-constraints',
    ]);
  });

  it('D14 a deployed address of a module is text that is not a version', () => {
    const answer = plan(LIDAR, { acme_lidar: known('https://b.example/x', ['1.2.9']) });
    expect(answer.modules[0]?.decision).toMatchObject({ kind: 'keep', because: 'ahead' });
    expect(answer.restarts).toEqual([]);
  });

  it.each([Number.NaN, Infinity, 9e15])('throws if `now` is %d', (now) => {
    expect(() => plan(LIDAR, UPGRADE, { now })).toThrow(
      `now is ${now}, expected milliseconds since the epoch`,
    );
  });
});
