import { expect, it } from 'vitest';
import type { Plan } from '../../../src/core/index.ts';
import type { NewAction, OpenAction } from '../../../src/core/plan/committed-action.ts';
import { reconcile } from '../../../src/core/plan/reconcile.ts';
import { upgrade } from '../../support/claimed.ts';
import { delivered, lidarPlan, waiting, wantedBy } from '../../support/open-actions.ts';

const BOTH = ['1.0.0', '1.1.0'] as const;
const PLAN = lidarPlan('1.*', BOTH);
const [WANTED = upgrade()] = wantedBy(PLAN);
const OLDER: NewAction = { ...WANTED, to: '1.0.5' };

/** The committed and the superseded actions: `+1.1.0 -1.0.5`. */
function outcome(plan: Plan, open: readonly OpenAction[]): string {
  const { actions, superseded } = reconcile(plan, open);
  const committed = actions.map(({ to }) => `+${to}`);
  return [...committed, ...superseded.map(({ action }) => `-${action.to}`)].join(' ');
}

it.each<[string, OpenAction[], Plan, string]>([
  ['no action is open', [], PLAN, '+1.1.0'],
  ['the action of the plan waits', [waiting(WANTED)], PLAN, ''],
  ['the action of the plan waits after a failure', [waiting(WANTED, { failures: 1 })], PLAN, ''],
  ['another action waits', [waiting(OLDER)], PLAN, '+1.1.0 -1.0.5'],
  ['another action was delivered', [delivered(OLDER)], PLAN, ''],
  ['the plan has no action', [waiting(WANTED)], lidarPlan('1.0.*', BOTH), '-1.1.0'],
  ['there is no release list', [waiting(WANTED)], lidarPlan('1.*', 'no list'), ''],
  [
    'the entry names another module, whose release list is missing',
    [waiting(WANTED)],
    lidarPlan('1.*', 'no list', { id: 'acme:arm' }),
    '-1.1.0',
  ],
  [
    'the artifact of the waiting action has another digest',
    [waiting({ ...WANTED, artifact: { platform: 'any', digest: 'sha256:bb' } })],
    PLAN,
    '+1.1.0 -1.1.0',
  ],
  [
    'the reason of the waiting action differs',
    [waiting({ ...WANTED, reason: { kind: 'pin-url', text: 'an older one' } })],
    PLAN,
    '',
  ],
])('if %s [T18] [T55]', (_, open, plan, expected) => {
  expect(outcome(plan, open)).toBe(expected);
});
