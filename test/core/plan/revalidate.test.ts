import { describe, expect, it } from 'vitest';
import type { NewAction } from '../../../src/core/plan/committed-action.ts';
import { revalidate, type Revalidation } from '../../../src/core/plan/revalidate.ts';
import { upgrade } from '../../support/claimed.ts';
import { delivered, lidarPlan, waiting, wantedBy } from '../../support/open-actions.ts';

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
