import { describe, expect, it } from 'vitest';
import { indexReleases, readDeployed, type Plan } from '../../src/core/index.ts';
import type { CommittedAction } from '../../src/core/plan/committed-action.ts';
import { Planner, type PlannerOptions } from '../../src/poller/planner.ts';
import { BLANK_MEMORY } from '../support/blank-memory.ts';
import { records } from '../support/ask.ts';
import { upgrade } from '../support/claimed.ts';
import { MINUTE, SECOND } from '../support/day.ts';
import { openFrom } from '../support/decided.ts';
import { answersOf } from '../support/machines.ts';
import { waiting } from '../support/open-actions.ts';
import { CONFIGURATIONS, TARGETS } from '../support/racing.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';

/** A machine with 1.0.0 of a lidar and an arm, whose 1.0.1 is published, on a clock that does not move. */
function planner(
  more: Partial<PlannerOptions> = {},
  clock: VirtualClock = virtualClock(),
): Planner {
  const list = { index: indexReleases(records(['1.0.0', '1.0.1'])) };
  return new Planner({
    configuration: { current: CONFIGURATIONS.both },
    lists: { isInformed: true, list: () => list, clockFault: undefined },
    facts: () => () => ({ deployed: readDeployed('1.0.0') }),
    platform: 'linux/arm64',
    polling: { clock, intervalMs: MINUTE, onEvent: () => undefined },
    ...more,
  });
}

function summaryOf(plan: Plan | 'ask-first' | undefined): string {
  if (plan === undefined || plan === 'ask-first') return String(plan);
  return answersOf(plan).join(', ');
}

const isMaintenanceAllowed = (): boolean => true;
const nothingDeployed: PlannerOptions['facts'] = () => () => ({ deployed: readDeployed(null) });
const LIDAR: CommittedAction = { ...upgrade({ target: TARGETS.lidar, to: '1.0.1' }), id: 'one-1' };

describe('a plan', () => {
  it.each<[string, Partial<PlannerOptions>, string]>([
    ['covers all modules', {}, 'upgrade 1.0.1, upgrade 1.0.1'],
    ['needs a configuration', { configuration: { current: undefined } }, 'undefined'],
    [
      'needs an answer of a registry',
      {
        lists: {
          isInformed: false,
          list: () => ({ index: indexReleases([]) }),
          clockFault: undefined,
        },
      },
      'undefined',
    ],
    [
      'asks first if maintenance is allowed, if the agent can be asked',
      { isMaintenanceAllowed },
      'ask-first',
    ],
    [
      'does not ask if nothing is to be replaced',
      { isMaintenanceAllowed, facts: () => () => ({ deployed: readDeployed('1.0.1') }) },
      'up-to-date, up-to-date',
    ],
    [
      'does not ask for a first install',
      { isMaintenanceAllowed, facts: nothingDeployed },
      'install 1.0.1, install 1.0.1',
    ],
    [
      'does not ask if a busy server holds the upgrade anyway',
      { isMaintenanceAllowed, isServerBusy: () => true },
      'hold upgrade 1.0.1, hold upgrade 1.0.1',
    ],
  ])('%s (D29)', (_, options, expected) => {
    expect(summaryOf(planner(options).plan())).toBe(expected);
  });

  it.each([
    ['rover-7', 'upgrade 1.0.1, upgrade 1.0.1'],
    ['rover-8', 'up-to-date, up-to-date'],
    [undefined, 'up-to-date, up-to-date'],
  ])('decides for the machine %s whether a rollout includes it (D49)', (machineId, expected) => {
    // The cohorts are 0.12 and 0.23.
    const inRollout = { version: '1.0.1', rollout: { salt: 's1', percent: 20, share: 0.2 } };
    const list = { index: indexReleases(records(['1.0.0', inRollout])) };
    const plan = planner({
      machineId,
      lists: { isInformed: true, list: () => list, clockFault: undefined },
    }).plan();
    expect(summaryOf(plan)).toBe(expected);
  });

  it.each<[string, (action?: CommittedAction) => number[], string]>([
    ['without the restart that it caused', (action) => (action ? [] : [0]), 'upgrade 1.0.1'],
    ['with the restarts of other actions', () => [0], 'hold upgrade 1.0.1'],
  ])('for the target of an action is made %s', (_, restartedAgo, expected) => {
    const clock = virtualClock();
    const facts: PlannerOptions['facts'] = (action) => () => ({
      deployed: readDeployed('1.0.0'),
      restarts: restartedAgo(action).map((ago) => clock.now() - ago),
    });
    const plan = planner({ facts }, clock).plan(LIDAR);
    expect(summaryOf(plan)).toBe(expected);
  });

  it('uses the configuration as it is after the agent was asked', async () => {
    const clock = virtualClock();
    let configuration = CONFIGURATIONS.both;
    const moving = planner(
      {
        isMaintenanceAllowed: async () => await clock.sleep(SECOND).then(() => true),
        configuration: {
          get current() {
            return configuration;
          },
        },
      },
      clock,
    );
    const before = moving.plan();
    const asking = moving.askMaintenance(new AbortController().signal);
    configuration = CONFIGURATIONS.lidar;
    await clock.pass(SECOND);
    expect([before, summaryOf(moving.planWith({ maintenance: await asking }))]).toEqual([
      'ask-first',
      'upgrade 1.0.1',
    ]);
  });
});

describe('an agent that is asked whether maintenance is allowed, and', () => {
  it.each<[string, PlannerOptions['isMaintenanceAllowed'], string]>([
    ['allows it', () => true, 'allowed: upgrade 1.0.1, upgrade 1.0.1'],
    ['does not', () => false, 'not-allowed: hold upgrade 1.0.1, hold upgrade 1.0.1'],
    ['returns undefined', () => undefined, 'missing: hold upgrade 1.0.1, hold upgrade 1.0.1'],
    ['has no callback', undefined, 'missing: hold upgrade 1.0.1, hold upgrade 1.0.1'],
    [
      'returns something else',
      () => 'yes',
      'not-a-boolean: hold upgrade 1.0.1, hold upgrade 1.0.1',
    ],
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
      'failed: hold upgrade 1.0.1, hold upgrade 1.0.1',
    ],
    [
      'does not answer within ten seconds',
      async () => await new Promise(() => undefined),
      'timed-out: hold upgrade 1.0.1, hold upgrade 1.0.1',
    ],
  ])('%s (D29)', async (_, allows, expected) => {
    const clock = virtualClock();
    const asking = planner({ isMaintenanceAllowed: allows }, clock);
    const answered = asking.askMaintenance(new AbortController().signal);
    await clock.pass(10 * SECOND);
    const answer = await answered;
    expect(`${answer}: ${summaryOf(asking.planWith({ maintenance: answer }))}`).toBe(expected);
  });

  it('is stopped rejects with the reason of the stop', async () => {
    const stopping = new AbortController();
    const asking = planner({
      isMaintenanceAllowed: async () => await new Promise(() => undefined),
    });
    const asked = asking.askMaintenance(stopping.signal);
    stopping.abort(new Error('it was stopped'));
    await expect(asked).rejects.toThrow(new Error('it was stopped'));
  });
});

describe('a plan stays valid', () => {
  it.each<[string, number | undefined, number]>([
    ['for an interval if no window opens', undefined, MINUTE],
    ['until a window opens', 20 * SECOND, 20 * SECOND],
    ['for an interval at most', 2 * MINUTE, MINUTE],
  ])('%s', (_, opensIn, expected) => {
    const clock = virtualClock();
    const now = clock.now();
    const window = opensIn === undefined ? undefined : openFrom([now + opensIn, now + 10 * MINUTE]);
    const { machine, policy } = CONFIGURATIONS.both;
    const current = { machine, policy: { ...policy, terms: { ...policy.terms, window } } };
    const planning = planner({ configuration: { current } }, clock);
    expect(planning.untilNextChange(planning.planWith({ maintenance: 'allowed' }))).toBe(expected);
  });

  it.each([
    [20 * SECOND, 20 * SECOND],
    [0, 0],
    [-SECOND, 0],
  ])('until the decision about a subsystem changes, in %i ms', (changesIn, expected) => {
    const clock = virtualClock();
    const nextChange = { at: clock.now() + changesIn };
    const decision = { kind: 'keep' };
    // A cast: only these members of a plan say how long it stays valid.
    const changing = { modules: [], subsystems: [{ decision, nextChange }] } as unknown as Plan;
    expect(planner({}, clock).untilNextChange(changing)).toBe(expected);
  });

  it.each([
    ['not-allowed', 5 * SECOND],
    ['timed-out', MINUTE],
    ['failed', MINUTE],
  ] as const)('if the agent alone holds it, whose answer is %s: for %i ms', (answer, expected) => {
    const planning = planner({ configuration: { current: CONFIGURATIONS.both } });
    expect(planning.untilNextChange(planning.planWith({ maintenance: answer }))).toBe(expected);
  });

  it('for an interval if there is no plan', () => {
    expect(planner().untilNextChange(undefined)).toBe(MINUTE);
  });
});

it('[T62] an action waits for nothing if it has no dependencies or the memory cannot be read', () => {
  const open = waiting(LIDAR);
  const memory = {
    ...BLANK_MEMORY,
    open: [open],
    isBlank: false,
    of: () => ({
      deployed: readDeployed('1.0.0'),
      previous: undefined,
      failed: undefined,
      restarts: [],
      quarantine: [],
    }),
  };
  const waitsFor = [undefined, memory].map((known) => planner().blockingDependency(open, known));
  expect(waitsFor).toEqual([undefined, undefined]);
});
