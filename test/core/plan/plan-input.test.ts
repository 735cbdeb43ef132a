import { describe, expect, it } from 'vitest';
import { readDeployed, type ModuleState } from '../../../src/core/index.ts';
import { asksForMaintenance, factsOf, planInputFor } from '../../../src/core/plan/plan-input.ts';
import { keyOf } from '../../../src/core/plan/target.ts';
import { version } from '../../support/ask.ts';
import { AGENT, moduleNamed } from '../../support/claimed.ts';
import { NOW } from '../../support/decides.ts';
import { entry, known, machineQuestion, plan } from '../../support/planned.ts';

describe('the input of a plan', () => {
  const LOCAL = { type: 'local', name: 'own', module_id: 'acme:own', executable_path: '/x' };
  const modules = [entry('acme:lidar', '1.*', 'lidar'), LOCAL, entry('acme:arm', '1.*', 'arm')];

  /** The entries of the machine config and the targets whose state is in the input. */
  function inputFor(only?: Parameters<typeof planInputFor>[2]): object {
    const { machine, policy, platform } = machineQuestion({ modules }, {});
    const states = new Map<ModuleState, string>();
    const input = planInputFor(
      { machine, policy },
      {
        platform,
        now: NOW,
        isServerBusy: true,
        knownOf(target) {
          const state = known('1.0.0', []);
          states.set(state, keyOf(target));
          return state;
        },
      },
      only,
    );
    const { now, isServerBusy } = input;
    expect([input.policy, input.platform]).toEqual([policy, platform]);
    expect([now, isServerBusy]).toEqual([NOW, true]);
    const named = (all: ReadonlyMap<string, ModuleState>): object =>
      Object.fromEntries([...all].map(([name, state]) => [name, states.get(state)]));
    return {
      entries: input.machine.modules.map(({ name }) => name),
      modules: named(input.modules),
      subsystems: named(input.subsystems),
    };
  }

  it.each<[string, Parameters<typeof planInputFor>[2], object]>([
    [
      'the whole machine has all its entries, and the state of each',
      undefined,
      {
        entries: ['lidar', 'own', 'arm'],
        modules: { lidar: 'module lidar', own: 'module own', arm: 'module arm' },
        subsystems: {
          'platform-agent': 'subsystem platform-agent',
          'platform-server': 'subsystem platform-server',
        },
      },
    ],
    [
      'one module has only its own entry and state',
      moduleNamed('arm'),
      { entries: ['arm'], modules: { arm: 'module arm' }, subsystems: {} },
    ],
    [
      'one subsystem has no entry, and its own state',
      AGENT,
      { entries: [], modules: {}, subsystems: { 'platform-agent': 'subsystem platform-agent' } },
    ],
  ])('for %s', (_, only, expected) => {
    expect(inputFor(only)).toEqual(expected);
  });

  it('for a module with the name of a subsystem does not contain that subsystem', () => {
    const named = [entry('acme:agent', '1.*', 'platform-agent')];
    const { machine, policy, platform } = machineQuestion({ modules: named }, {});
    const input = planInputFor(
      { machine, policy },
      { platform, now: NOW, isServerBusy: false, knownOf: () => known('1.0.0', []) },
      AGENT,
    );
    expect([input.machine.modules, input.modules.size]).toEqual([[], 0]);
  });
});

describe('the agent is asked for maintenance [D29]', () => {
  const LIST = ['1.0.0', '1.1.0'];
  const REQUESTED = { restartRequest: { requestedAt: 0, isImmediate: false } };
  const AT_ONCE = { restartRequest: { requestedAt: 0, isImmediate: true } };
  const document = { modules: [entry('acme:lidar', '1.*', 'lidar')] };

  it.each<[string, ModuleState, boolean]>([
    ['for an upgrade', known('1.0.0', LIST), true],
    ['for a downgrade', known('2.0.0', LIST), true],
    ['not for an install', known(null, LIST), false],
    ['not for a rollback', known('1.1.0', LIST, { quarantine: [{ version: '1.1.0' }] }), false],
    ['not if nothing is due', known('1.1.0', LIST), false],
    [
      'not without a list',
      known('1.0.0', LIST, { list: { error: { kind: 'x', message: 'down' } } }),
      false,
    ],
    ['for a restart that may be held [D41]', known('1.1.0', LIST, REQUESTED), true],
    ['not for an immediate restart [D41]', known('1.1.0', LIST, AT_ONCE), false],
  ])('%s', (_, state, expected) => {
    expect(asksForMaintenance(plan(document, { lidar: state }))).toBe(expected);
  });

  it('for an upgrade of a subsystem', () => {
    const subsystems = new Map([['platform-agent', known('1.0.0', LIST)]] as const);
    expect(asksForMaintenance(plan({}, {}, { subsystems }))).toBe(true);
  });
});

describe('a plan knows of the remembered state', () => {
  const remembered = {
    deployed: readDeployed('1.1.0'),
    previous: version('1.0.0'),
    failed: version('1.2.0'),
    quarantine: [{ version: '1.2.0' }],
    restarts: [
      { action: 'a-1', at: 5 },
      { action: 'a-2', at: 7 },
    ],
  };
  const request = { requestedAt: 9, isImmediate: true };

  it.each<[string, Parameters<typeof factsOf>[0]['restartRequest'], object | undefined]>([
    ['no request', undefined, undefined],
    ['a request that is open', { request, failure: undefined }, request],
    ['no request whose restart failed', { request, failure: 'no scan' }, undefined],
  ])('%s, and when it was restarted [D41]', (_, restartRequest, expected) => {
    const { deployed, previous, failed, quarantine } = remembered;
    expect(factsOf({ ...remembered, restartRequest })).toEqual({
      deployed,
      previous,
      failed,
      quarantine,
      restarts: [5, 7],
      restartRequest: expected,
    });
  });
});
