import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { day, MINUTE, targetNamed, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

type Change = (machine: Day) => void;

const TARGET = targetNamed('acme_lidar');
const AGENT = targetNamed('platform-agent');

/** The upgrade of a module from 1.2.3 to 1.2.4. */
const UPGRADE = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': ['1.2.2', '1.2.3', '1.2.4'] },
} as const satisfies DayOptions;

/** The rollback of a module from 1.2.4 to 1.2.3. */
const ROLLBACK = { ...UPGRADE, deployed: { acme_lidar: '1.2.4' } } as const;

/** The upgrade of the agent to the file at an address. */
const PIN = {
  machine: pinnedTo('a'),
  deployed: { 'platform-agent': '1.0.0' },
  releases: {},
} as const satisfies DayOptions;

function pinnedTo(name: string): object {
  return { agent: { 'platform-agent': { pin_url: `https://cdn.example/${name}` } } };
}

const quarantine: Change = ({ state, clock }) => {
  const release = { moduleId: moduleId('acme:lidar'), version: '1.2.4', digest: undefined };
  const term = { since: clock.now(), until: undefined, rolledBack: undefined };
  state.quarantine({ ...release, ...term, reason: 'hot' });
};

/** A machine with an open action, which a consumer has already or gets in a moment. */
async function withAction(options: DayOptions, takesUp: 'at once' | 'later'): Promise<Day> {
  const machine = await day({ ...options, takesUp });
  await machine.pass(MINUTE);
  if (options === ROLLBACK) {
    const failure = { version: '1.2.4', reason: 'hot', running: '1.2.4' };
    await machine.poller.reportFailure(TARGET, failure);
    await machine.pass(0);
  }
  const last = machine.story().at(-1)?.slice('01:02:33 '.length);
  expect(last).toMatch(takesUp === 'later' ? /^committed / : /^delivered /);
  return machine;
}

/** What happened since the last call, without the times. */
function happened(machine: Day): string[] {
  return machine.story().map((line) => line.slice('01:02:33 '.length));
}

const UPGRADED = 'acme_lidar 1.2.3 → 1.2.4';
const ROLLED_BACK = 'rollback acme_lidar 1.2.4 → 1.2.3';
const PINNED = 'platform-agent 1.0.0 → https://cdn.example/a';

/** The change, the action, and what is executed instead if it was not delivered yet. */
const CHANGES: [string, DayOptions, Change, [action: string, ...instead: string[]]][] = [
  ['its release is quarantined', UPGRADE, quarantine, [UPGRADED]],
  [
    'its release is yanked',
    UPGRADE,
    ({ registry }) => registry.yank('acme:lidar', '1.2.4', 'hot'),
    [UPGRADED],
  ],
  [
    'its direction is another one',
    UPGRADE,
    (machine) => machine.configure({ machine: { modules: [entry('acme:lidar', '1.2.2')] } }),
    [UPGRADED, 'downgrade acme_lidar 1.2.3 → 1.2.2'],
  ],
  [
    'its version is deployed already',
    UPGRADE,
    ({ state }) => state.report(TARGET, '1.2.4', 1),
    [UPGRADED],
  ],
  [
    'the failure that it rolls back is lifted',
    ROLLBACK,
    ({ state }) => void state.lift(moduleId('acme:lidar'), '1.2.4'),
    [ROLLED_BACK],
  ],
  [
    'it rolls back to a yanked release',
    ROLLBACK,
    ({ registry }) => registry.yank('acme:lidar', '1.2.3', 'hot'),
    [ROLLED_BACK, 'rollback acme_lidar 1.2.4 → 1.2.2'],
  ],
  [
    'the version that it rolls back is not deployed any more',
    ROLLBACK,
    ({ state }) => state.report(TARGET, '1.2.2', 1),
    [ROLLED_BACK, 'acme_lidar 1.2.2 → 1.2.3'],
  ],
  [
    'its address is another one',
    PIN,
    (machine) => machine.configure({ machine: pinnedTo('b') }),
    [PINNED, 'platform-agent 1.0.0 → https://cdn.example/b'],
  ],
  [
    'its address is deployed already',
    PIN,
    ({ state }) => state.report(AGENT, 'https://cdn.example/a', 1),
    [PINNED],
  ],
];

describe('[T18] an action is not executed after', () => {
  it.each(CHANGES)(
    '%s, unless a consumer has it',
    async (_, options, change, [action, ...instead]) => {
      const machine = await withAction(options, 'later');
      change(machine);
      await machine.pass(2 * MINUTE);
      const next = machine.poller.deliveries().next();
      await machine.pass(2 * MINUTE);
      expect(happened(machine)).toEqual([
        `superseded ${action}`,
        ...instead.map((other) => `committed ${other}`),
        ...instead.map((other) => `delivered ${other}`),
      ]);
      await machine.poller.stop();
      await next;
    },
  );

  it.each(CHANGES)('%s and a restart of the agent', async (_, options, change, [action]) => {
    const machine = await withAction(options, 'at once');
    change(machine);
    await machine.pass(3 * MINUTE);
    // Its consumer may finish it.
    expect([happened(machine), machine.deliveries[0]?.signal.aborted]).toEqual([[], false]);
    await machine.restart();
    await machine.pass(2 * MINUTE);
    expect(happened(machine)).toEqual([`withdrawn ${action}`]);
    const target = options === PIN ? AGENT : TARGET;
    expect(machine.state.memory().of(target).deployed).toEqual({ kind: 'unknown' });
  });
});
