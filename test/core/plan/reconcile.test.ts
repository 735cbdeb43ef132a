import { describe, expect, it } from 'vitest';
import type { Artifact, ModuleState, Plan } from '../../../src/core/index.ts';
import type { NewAction, OpenAction } from '../../../src/core/plan/committed-action.ts';
import { reconcile } from '../../../src/core/plan/reconcile.ts';
import { AGENT, upgrade } from '../../support/claimed.ts';
import { delivered, lidarPlan, waiting, wantedBy } from '../../support/open-actions.ts';
import { entry, known, plan as planOf } from '../../support/planned.ts';

const BOTH = ['1.0.0', '1.1.0'] as const;
const PLAN = lidarPlan('1.*', BOTH);
const [WANTED = upgrade()] = wantedBy(PLAN);
const FILE = {
  platform: 'any',
  url: 'https://files.example/lidar',
  digest: `sha256:${'a'.repeat(64)}`,
};
/** The same plan, with the file of its release. */
const WITH_FILE = lidarPlan('1.*', ['1.0.0', { version: '1.1.0', artifacts: [FILE] }]);
const [WANTED_FILE = upgrade()] = wantedBy(WITH_FILE);
const OLDER: NewAction = { ...WANTED, to: '1.0.5' };

/** The waiting action of that plan, whose file differs in `other`. */
function withFile(other: Partial<Artifact>): OpenAction[] {
  return [waiting({ ...WANTED_FILE, artifact: { ...FILE, ...other } })];
}

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
  ['the file of the waiting action is the same', withFile({}), WITH_FILE, ''],
  [
    'the file of the waiting action has another digest',
    withFile({ digest: `sha256:${'b'.repeat(64)}` }),
    WITH_FILE,
    '+1.1.0 -1.1.0',
  ],
  [
    'the file of the waiting action has another address',
    withFile({ url: 'https://old.example/lidar' }),
    WITH_FILE,
    '+1.1.0 -1.1.0',
  ],
  [
    'the file of the waiting action has another platform',
    withFile({ platform: 'linux/arm64' }),
    WITH_FILE,
    '+1.1.0 -1.1.0',
  ],
  [
    'the waiting action replaces another version',
    [waiting({ ...WANTED, from: '1.0.5' })],
    PLAN,
    '+1.1.0 -1.1.0',
  ],
  [
    'the waiting action has another direction',
    [waiting({ ...WANTED, direction: 'rollback' })],
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

/** The plan of a machine whose agent has this state. */
function ofAgent(state: ModuleState | undefined): Plan {
  const subsystems = new Map(state && ([['platform-agent', state]] as const));
  return planOf({}, {}, { subsystems });
}

describe('if an action of the agent waits [T18] [T55]', () => {
  const OPEN = [waiting(upgrade({ target: AGENT }))];
  const down = { error: { kind: 'registry-unreachable', message: 'down' } };

  it.each<[string, Plan, string]>([
    ['and the agent is up to date', ofAgent(known('1.1.0', ['1.1.0'])), '-1.1.0'],
    ['and there is no release list', ofAgent(known('1.0.0', [], { list: down })), ''],
    ['and the deployed version is not known', ofAgent(undefined), ''],
    [
      'and the list of a module with its name is missing',
      planOf(
        { modules: [entry('acme:agent', '1.*', 'platform-agent')] },
        { 'platform-agent': known('1.0.0', [], { list: down }) },
        { subsystems: new Map([['platform-agent', known('1.1.0', ['1.1.0'])]] as const) },
      ),
      '-1.1.0',
    ],
  ])('%s', (_, made, expected) => {
    expect(outcome(made, OPEN)).toBe(expected);
  });
});
