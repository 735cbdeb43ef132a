import { describe, expect, it } from 'vitest';
import { revalidate, type Revalidation } from '../../../src/core/plan/revalidate.ts';
import { upgrade } from '../../support/claimed.ts';
import { delivered, lidarPlan, waiting, wantedBy } from '../../support/open-actions.ts';

const BOTH = ['1.0.0', '1.1.0'] as const;
const [WANTED = upgrade()] = wantedBy(lidarPlan('1.*', BOTH));

type Case = readonly [string, ReturnType<typeof lidarPlan>, Revalidation];

describe('an action that was never delivered', () => {
  it.each<Case>([
    ['delivers what is due', lidarPlan('1.*', BOTH), 'deliver'],
    ['waits while it is held', lidarPlan('1.*', BOTH, { held: true }), 'wait'],
    ['waits where a newer release is due', lidarPlan('1.*', [...BOTH, '1.2.0']), 'wait'],
    ['waits where nothing is due', lidarPlan('1.0.*', BOTH), 'wait'],
    ['waits without a list', lidarPlan('1.*', 'no list'), 'wait'],
  ])('%s [T51]', (_, plan, verdict) => {
    expect(revalidate(waiting(WANTED), plan)).toBe(verdict);
  });
});

describe('an action that was delivered', () => {
  const YANKED = [BOTH[0], { version: BOTH[1], yanked: 'broken' }];
  it.each<Case>([
    ['is delivered again while it is due', lidarPlan('1.*', BOTH), 'deliver'],
    ['waits while it is held', lidarPlan('1.*', BOTH, { held: true }), 'wait'],
    ['is finished before a newer release', lidarPlan('1.*', [...BOTH, '1.2.0']), 'deliver'],
    ['waits without a list', lidarPlan('1.*', 'no list'), 'wait'],
    ['is withdrawn once its version is yanked', lidarPlan('1.*', YANKED), 'withdraw'],
    [
      'is withdrawn once its version is yanked, for another one too',
      lidarPlan('1.*', [...YANKED, '1.2.0']),
      'withdraw',
    ],
    ['is withdrawn where nothing is to change', lidarPlan('1.0.*', BOTH), 'withdraw'],
    ['is withdrawn with its entry', lidarPlan('1.*', BOTH, { id: 'acme:arm' }), 'withdraw'],
    [
      'waits where a newer release is held',
      lidarPlan('1.*', [...BOTH, '1.2.0'], { held: true }),
      'wait',
    ],
  ])('%s [T18] [T55]', (_, plan, verdict) => {
    const action = delivered(WANTED);
    expect(revalidate(action, plan)).toBe(verdict);
  });

  it('is withdrawn where it went back, and going back is not due any more', () => {
    const back = delivered({ ...WANTED, direction: 'rollback' });
    expect(revalidate(back, lidarPlan('1.*', [...BOTH, '1.2.0']))).toBe('withdraw');
  });
});
