import { describe, expect, it } from 'vitest';
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
