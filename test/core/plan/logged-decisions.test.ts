import { describe, expect, it } from 'vitest';
import { indexReleases, type PlanInput } from '../../../src/core/index.ts';
import { loggedDecisions, type LoggedDecision } from '../../../src/core/plan/logged-decisions.ts';
import { NOW } from '../../support/decides.ts';
import { entry, known, plan } from '../../support/planned.ts';

const NO_NEEDS = new Map<string, string | undefined>();
const LIST = ['1.0.0', '1.1.0', '2.0.0'];

type Modules = Parameters<typeof plan>[1];

/** The logged decision about the only module, or about the subsystems of `agent`. */
function logged(
  document: Parameters<typeof plan>[0],
  modules: Modules,
  more: Partial<PlanInput> = {},
  needs: ReadonlyMap<string, string | undefined> = NO_NEEDS,
): LoggedDecision[] {
  return loggedDecisions(plan(document, modules, more), needs);
}

const LIDAR = { kind: 'module', name: 'lidar', moduleId: 'acme:lidar' } as const;

/** A reason without times. */
function why(code: string, text: string): Pick<LoggedDecision, 'reason' | 'because'> {
  return { reason: text, because: { code, facts: [text], times: [] } };
}

describe('the log has for a module', () => {
  const document = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
  const upgrade = {
    ...LIDAR,
    constraint: '1.*',
    target: '1.1.0',
    latest: '2.0.0',
    decision: 'upgrade',
    ...why('upgrade', 'newest release of 1'),
    until: undefined,
  };

  it.each<[string, Modules, Partial<PlanInput>, LoggedDecision]>([
    ['what replaces it', { lidar: known('1.0.0', LIST) }, {}, upgrade],
    [
      'what is kept',
      { lidar: known('1.1.0', LIST) },
      {},
      {
        ...upgrade,
        decision: 'up-to-date',
        ...why('up-to-date', 'already the newest release of 1'),
      },
    ],
    [
      'the end of a hold',
      { lidar: known('1.0.0', LIST, { restarts: [NOW] }) },
      {},
      {
        ...upgrade,
        decision: 'hold',
        reason: 'cooling down after a restart until 2026-11-21T00:05:00Z',
        because: {
          code: 'restart-cooldown',
          facts: ['cooling down after a restart until ', ''],
          times: [NOW + 5 * 60_000],
        },
        until: NOW + 5 * 60_000,
        next: {
          at: NOW + 5 * 60_000,
          because: 'cooldown-ends',
          decision: 'upgrade',
          target: '1.1.0',
        },
      },
    ],
    [
      'no target and no newest release without a release list',
      {},
      {},
      {
        ...upgrade,
        target: undefined,
        latest: undefined,
        decision: 'stuck',
        ...why('deployed-unknown', 'the deployed version is not known'),
      },
    ],
  ])('%s', (_, modules, more, expected) => {
    expect(logged(document, modules, more)[0]).toEqual(expected);
  });

  it('why what is deployed was yanked', () => {
    const state = known('1.1.0', [{ version: '1.1.0', yanked: 'burns' }]);
    expect(logged(document, { lidar: state })[0]).toMatchObject({
      decision: 'ahead',
      deployedYanked: { version: '1.1.0', because: 'burns' },
    });
  });

  it('[D340] no next decision that moves with each confirmation of its list', () => {
    const rollout = { salt: 's', percent: 50, share: 1 };
    const index = indexReleases([{ version: '1.1.0', rollout }]);
    const lidar = { ...known('1.0.0', []), list: { index, readAt: NOW } };
    const circumstances = { machineId: 'rover-7' };
    const [row] = plan(document, { lidar }, circumstances).modules;
    expect(row?.nextChange?.because).toBe('list-unconfirmed');
    expect(logged(document, { lidar }, circumstances)[0]?.next).toBeUndefined();
  });

  it('the end of the quarantine of its pin', () => {
    const pinned = { modules: [entry('acme:lidar', '1.1.0', 'lidar')] };
    const quarantine = [{ version: '1.1.0', until: NOW + 1, reason: 'no scan' }];
    const state = known('1.0.0', ['1.0.0', '1.1.0'], { quarantine });
    expect(logged(pinned, { lidar: state })[0]).toEqual({
      ...upgrade,
      accepted: '1.1.0',
      constraint: '1.1.0',
      target: undefined,
      latest: '1.1.0',
      decision: 'stuck',
      reason:
        'the pin failed on this machine (no scan) and is quarantined until 2026-11-21T00:00:00.001Z',
      because: {
        code: 'quarantined',
        facts: ['the pin failed on this machine (no scan) and is quarantined until ', ''],
        times: [NOW + 1],
      },
      until: NOW + 1,
      next: { at: NOW + 1, because: 'quarantine-ends', decision: 'upgrade', target: '1.1.0' },
    });
  });

  it('no constraint and no target if it is local', () => {
    const local = { type: 'local', name: 'lidar', module_id: 'acme:lidar', executable_path: '/x' };
    expect(logged({ modules: [local] }, {})[0]).toEqual({
      ...upgrade,
      constraint: undefined,
      target: undefined,
      latest: undefined,
      decision: 'local',
      ...why('local', 'local module: available only on this machine'),
    });
  });
});

describe('the log has the dependency that an action waits for [T62]', () => {
  const document = { modules: [entry('acme:map', '1.*', 'map')] };
  it.each<[string, ReadonlyMap<string, string | undefined>, string]>([
    ['none', new Map([['module map', undefined]]), 'newest release of 1'],
    ['none of a subsystem', new Map([['subsystem map', 'arm']]), 'newest release of 1'],
    [
      'the name of its entry',
      new Map([['module map', 'my\narm']]),
      'newest release of 1; waits for my\\u{a}arm, which it depends on',
    ],
  ])('%s', (_, needs, expected) => {
    const [map] = logged(document, { map: known('1.0.0', LIST) }, {}, needs);
    expect(map?.reason).toBe(expected);
  });
});

describe('the log has for a subsystem', () => {
  const subsystems = new Map([
    ['platform-agent', known('1.0.0', LIST)],
    ['platform-server', known('1.0.0', LIST)],
  ] as const);
  const SERVER = { kind: 'subsystem', name: 'platform-server', moduleId: 'platform:server' };

  it.each<[string, object, readonly object[]]>([
    [
      'the release channel',
      { release_channel: 'latest' },
      [{ ...SERVER, constraint: 'latest', target: '2.0.0', latest: '2.0.0', decision: 'upgrade' }],
    ],
    ['the default channel', {}, [{ ...SERVER, constraint: 'stable', target: '2.0.0' }]],
    [
      'a pinned version',
      { pin_version: '1.1.0' },
      [{ ...SERVER, constraint: '1.1.0', target: '1.1.0' }],
    ],
    [
      'a pinned address',
      { pin_url: 'https://b.example/x?key=1' },
      [{ ...SERVER, constraint: 'https://b.example/x', target: 'https://b.example/x' }],
    ],
    ['nothing if it is disabled', { disable_subsystem: true }, []],
  ])('%s', (_, server, expected) => {
    const rows = logged({ agent: { 'platform-server': server } }, {}, { subsystems });
    expect(rows.filter(({ name }) => name === 'platform-server')).toMatchObject(expected);
    expect(rows).toHaveLength(1 + expected.length);
    expect(rows.find(({ name }) => name === 'platform-agent')).toMatchObject({
      kind: 'subsystem',
      moduleId: 'platform:agent',
      constraint: 'stable',
    });
  });

  it('a deployed address without what may be secret in it', () => {
    const url = 'https://b.example/x?key=1';
    const state = new Map([['platform-server', known(url, [])]] as const);
    const agent = { 'platform-server': { pin_url: url } };
    expect(logged({ agent }, {}, { subsystems: state })).toContainEqual(
      expect.objectContaining({ decision: 'up-to-date', target: 'https://b.example/x' }),
    );
  });
});
