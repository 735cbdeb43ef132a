import { describe, expect, it } from 'vitest';
import type { ModuleState, Plan } from '../../../src/core/index.ts';
import type { NewAction } from '../../../src/core/plan/committed-action.ts';
import { revalidate, type Revalidation } from '../../../src/core/plan/revalidate.ts';
import { moduleNamed, upgrade } from '../../support/claimed.ts';
import { delivered, lidarPlan, waiting, wantedBy } from '../../support/open-actions.ts';
import { entry, known, plan as planOf } from '../../support/planned.ts';

const BOTH = ['1.0.0', '1.1.0'] as const;
const [WANTED = upgrade()] = wantedBy(lidarPlan('1.*', BOTH));

type Case = readonly [string, ReturnType<typeof lidarPlan>, Revalidation];

describe('an action that was never delivered', () => {
  it.each<Case>([
    ['is delivered while it is due', lidarPlan('1.*', BOTH), 'deliver'],
    ['waits while it is held', lidarPlan('1.*', BOTH, { held: true }), 'wait'],
    ['waits if a newer release is due instead', lidarPlan('1.*', [...BOTH, '1.2.0']), 'wait'],
    ['waits if nothing is due', lidarPlan('1.0.*', BOTH), 'wait'],
    ['waits without a release list', lidarPlan('1.*', 'no list'), 'wait'],
  ])('%s [T51]', (_, plan, verdict) => {
    expect(revalidate(waiting(WANTED), plan)).toBe(verdict);
  });
});

describe('an action that was delivered', () => {
  const YANKED = [BOTH[0], { version: BOTH[1], yanked: 'broken' }];
  it.each<Case>([
    ['is delivered again while it is due', lidarPlan('1.*', BOTH), 'deliver'],
    ['waits while it is held', lidarPlan('1.*', BOTH, { held: true }), 'wait'],
    [
      'is delivered again although a newer release is due',
      lidarPlan('1.*', [...BOTH, '1.2.0']),
      'deliver',
    ],
    ['waits without a release list', lidarPlan('1.*', 'no list'), 'wait'],
    ['is withdrawn after its version is yanked', lidarPlan('1.*', YANKED), 'withdraw'],
    [
      'is withdrawn after its version is yanked, even if another release is due',
      lidarPlan('1.*', [...YANKED, '1.2.0']),
      'withdraw',
    ],
    ['is withdrawn if the deployed version is to be kept', lidarPlan('1.0.*', BOTH), 'withdraw'],
    [
      'is withdrawn if its version is deployed by now',
      lidarPlan('1.*', BOTH, { deployed: '1.1.0' }),
      'withdraw',
    ],
    [
      'is withdrawn after its version is removed from the list',
      lidarPlan('1.*', ['1.0.0', '1.2.0']),
      'withdraw',
    ],
    ['is withdrawn if no release may be selected', lidarPlan('3.*', BOTH), 'withdraw'],
    [
      'is withdrawn if its entry names another module',
      lidarPlan('1.*', BOTH, { id: 'acme:arm' }),
      'withdraw',
    ],
    [
      'waits if a newer release is held',
      lidarPlan('1.*', [...BOTH, '1.2.0'], { held: true }),
      'wait',
    ],
  ])('%s [T18] [T55]', (_, plan, verdict) => {
    const action = delivered(WANTED);
    expect(revalidate(action, plan)).toBe(verdict);
  });

  it('is withdrawn if it is a rollback that is no longer due', () => {
    const back = delivered({ ...WANTED, direction: 'rollback' });
    expect(revalidate(back, lidarPlan('1.*', [...BOTH, '1.2.0']))).toBe('withdraw');
  });
});

const REQUESTED = { restartRequest: { requestedAt: 0, isImmediate: false } };
const AT_ONCE = { restartRequest: { requestedAt: 0, isImmediate: true } };
const [RESTART = upgrade()] = wantedBy(lidarPlan('1.0.*', BOTH, { state: REQUESTED }));

describe('a restart that was delivered', () => {
  it.each<Case>([
    [
      'is delivered again while it is due',
      lidarPlan('1.0.*', BOTH, { state: REQUESTED }),
      'deliver',
    ],
    [
      'is finished before a replacement that has become due',
      lidarPlan('1.*', BOTH, { state: REQUESTED }),
      'deliver',
    ],
    ['waits while it is held', lidarPlan('1.0.*', BOTH, { state: REQUESTED, held: true }), 'wait'],
    ['waits without a release list', lidarPlan('1.0.*', 'no list', { state: REQUESTED }), 'wait'],
    ['is withdrawn if nobody requests it any more', lidarPlan('1.0.*', BOTH), 'withdraw'],
    [
      'is withdrawn if another version is deployed',
      lidarPlan('1.*', BOTH, { deployed: '1.1.0', state: REQUESTED }),
      'withdraw',
    ],
    [
      'is withdrawn if the deployed version is rolled back',
      lidarPlan('1.*', BOTH, { state: { ...REQUESTED, quarantine: [{ version: '1.0.0' }] } }),
      'withdraw',
    ],
    [
      'is withdrawn if the module is stuck',
      lidarPlan('1.0.0', BOTH, { state: { ...REQUESTED, quarantine: [{ version: '1.0.0' }] } }),
      'withdraw',
    ],
  ])('%s [D41]', (_, plan, verdict) => {
    expect(revalidate(delivered(RESTART), plan)).toBe(verdict);
  });
});

describe('a replacement that was delivered, while a restart is due', () => {
  const PINNED = { ...WANTED, to: 'https://builds.example/server' };
  it.each<[...Case, NewAction?]>([
    ['waits if it is held', lidarPlan('1.*', BOTH, { state: AT_ONCE, held: true }), 'wait'],
    [
      'is withdrawn if it is held and its version may no longer be selected',
      lidarPlan('1.*', [...BOTH, '1.2.0'], {
        state: { ...AT_ONCE, quarantine: [{ version: '1.1.0' }] },
        held: true,
      }),
      'withdraw',
    ],
    [
      'is withdrawn if the deployed version is to be kept',
      lidarPlan('1.0.*', BOTH, { state: AT_ONCE }),
      'withdraw',
    ],
    [
      'is withdrawn if its version is deployed by now',
      lidarPlan('1.*', BOTH, { deployed: '1.1.0', state: AT_ONCE }),
      'withdraw',
    ],
    [
      'is withdrawn if it is another address than the one that is held',
      lidarPlan('1.*', BOTH, { state: AT_ONCE, held: true }),
      'withdraw',
      PINNED,
    ],
  ])('%s [D41]', (_, plan, verdict, action = WANTED) => {
    expect(plan.restarts.flatMap(({ actions }) => actions)).toMatchObject([
      { direction: 'restart' },
    ]);
    expect(revalidate(delivered(action), plan)).toBe(verdict);
  });
});

describe('an action of a subsystem that was delivered', () => {
  const PINNED = 'https://builds.example/server';
  const SERVER = upgrade({ target: { kind: 'subsystem', name: 'platform-server' }, to: PINNED });
  const AT_ONCE_TOO = { restartRequest: { requestedAt: 0, isImmediate: true } };

  /** The agent is up to date. The server is pinned to an address, and another one is deployed. */
  function pinned(isServerBusy: boolean, state: Partial<ModuleState> = {}, url = PINNED): Plan {
    const subsystems = new Map([
      ['platform-agent', known('1.0.0', ['1.0.0'])],
      ['platform-server', known('https://builds.example/older', [], state)],
    ] as const);
    const agent = { 'platform-server': { pin_url: url } };
    return planOf({ agent }, {}, { subsystems, isServerBusy });
  }

  it.each<[string, Plan, Revalidation]>([
    ['waits while its address is held', pinned(true), 'wait'],
    ['is withdrawn if another address is held', pinned(true, {}, `${PINNED}-2`), 'withdraw'],
    ['is withdrawn if another address is due', pinned(false, {}, `${PINNED}-2`), 'withdraw'],
    ['waits if it is held while a restart is due [D41]', pinned(true, AT_ONCE_TOO), 'wait'],
    [
      'is withdrawn if the subsystem is disabled',
      planOf({ agent: { 'platform-server': { disable_subsystem: true } } }, {}),
      'withdraw',
    ],
  ])('%s [T18] [T55]', (_, made, verdict) => {
    expect(revalidate(delivered(SERVER), made)).toBe(verdict);
  });
});

it('an action is checked against the row of its own entry, although another one has its module', () => {
  const modules = [entry('acme:lidar', '1.0.*', 'front'), entry('acme:lidar', '1.*', 'rear')];
  const state = known('1.0.0', BOTH);
  const made = planOf({ modules }, { front: state, rear: state }, { isServerBusy: true });
  const verdicts = ['front', 'rear'].map((name) =>
    revalidate(delivered(upgrade({ target: moduleNamed(name, 'acme:lidar') })), made),
  );
  expect(verdicts).toEqual(['withdraw', 'wait']);
});
