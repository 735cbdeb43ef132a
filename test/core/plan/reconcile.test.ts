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

/** `+1.1.0 -1.0.5`: what is committed, and what is superseded. */
function outcome(plan: Plan, open: readonly OpenAction[]): string {
  const { actions, superseded } = reconcile(plan, open);
  const committed = actions.map(({ to }) => `+${to}`);
  return [...committed, ...superseded.map(({ action }) => `-${action.to}`)].join(' ');
}

it.each<[string, OpenAction[], Plan, string]>([
  ['nothing is open', [], PLAN, '+1.1.0'],
  ['the wanted action waits', [waiting(WANTED)], PLAN, ''],
  ['the wanted action waits after a failure', [waiting(WANTED, { failures: 1 })], PLAN, ''],
  ['another action waits', [waiting(OLDER)], PLAN, '+1.1.0 -1.0.5'],
  ['a consumer has another action', [delivered(OLDER)], PLAN, ''],
  ['nothing is wanted', [waiting(WANTED)], lidarPlan('1.0.*', BOTH), '-1.1.0'],
  ['there is no list', [waiting(WANTED)], lidarPlan('1.*', 'no list'), ''],
  [
    'there is no list of another module in the same entry',
    [waiting(WANTED)],
    lidarPlan('1.*', 'no list', { id: 'acme:arm' }),
    '-1.1.0',
  ],
  [
    'its artifact has another digest',
    [waiting({ ...WANTED, artifact: { platform: 'any', digest: 'sha256:bb' } })],
    PLAN,
    '+1.1.0 -1.1.0',
  ],
  [
    'its reason is another',
    [waiting({ ...WANTED, reason: { kind: 'pin-url', text: 'an older one' } })],
    PLAN,
    '',
  ],
])('where %s [T18] [T55]', (_, open, plan, expected) => {
  expect(outcome(plan, open)).toBe(expected);
});
