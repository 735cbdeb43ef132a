import { describe, expect, it } from 'vitest';
import type { Delivery, PollerEvent } from '../../src/poller/index.ts';
import { moduleSetups } from '../../src/poller/module-setup.ts';
import { Outbox } from '../../src/poller/outbox.ts';
import { StateAccess } from '../../src/poller/state-access.ts';
import { Wakeup } from '../../src/poller/wakeup.ts';
import { claimed, LIDAR, running } from '../support/claimed.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import { lidarPlan } from '../support/open-actions.ts';
import { configurationOf } from '../support/racing.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

/** A step of a machine that has 1.0.0 of a lidar deployed. */
type Step =
  /** A plan that wants this version, or nothing. */
  | `commit ${string}`
  | 'deliver'
  | 'done'
  | 'broken release'
  | 'broken machine'
  | 'withdraw'
  | 'the consumer ends'
  | 'the release is reported as failed'
  | 'a full disk'
  | 'a disk with space'
  | 'retry'
  | 'another process'
  | `${number} min`;

interface Outcome {
  readonly events: readonly string[];
  /** The deployed version and the previous one. */
  readonly deployed: string;
  /** How many open actions there are, and how many of them are due. */
  readonly open: number;
  readonly due: number;
  /** In seconds. */
  readonly untilNextDue: number;
  /** How often the machine had to be planned again. */
  readonly changes: number;
}

async function played(steps: readonly Step[]): Promise<Outcome> {
  const clock = virtualClock();
  const file = claimed();
  file.state.report(LIDAR, '1.0.0', clock.now());
  const events: string[] = [];
  const onEvent = (event: PollerEvent): void => void events.push(lineOf(event));
  const state = new StateAccess(file.state, onEvent);
  const changes = new Wakeup(clock);
  const polling = { clock, random: () => 0, intervalMs: 5 * HOUR };
  const configuration = { current: configurationOf() };
  const setupOf = moduleSetups({ path: 'machine.db', environment: {}, machineId: undefined });
  const begin = (): Outbox =>
    new Outbox({ state, changes, polling, configuration, onEvent, setupOf });
  let outbox = begin();
  let delivery: Delivery | undefined;
  const open = () => file.state.memory().open;
  const doing: Readonly<Record<string, () => Promise<void> | void>> = {
    deliver: () => {
      const [due] = outbox.due();
      if (due) delivery = outbox.deliver(due, CONSUMER) ?? delivery;
    },
    done: async () =>
      await delivery?.done().catch(({ message }: Error) => {
        events.push(message.replace(/[\da-f]{12}-/, ''));
      }),
    'the consumer ends': () => outbox.release(CONSUMER),
    'the release is reported as failed': () =>
      outbox.reportFailure(LIDAR, { version: '1.1.0', reason: 'it crashed', running: '1.0.0' }),
    'broken release': async () =>
      await delivery?.failed({ reason: 'no points', running: '1.0.0', blame: 'release' }),
    'broken machine': async () =>
      await delivery?.failed({ reason: 'no space', running: '1.0.0', blame: 'machine' }),
    withdraw: () => {
      for (const one of open()) outbox.withdraw(one);
    },
    'a full disk': () => file.database.exec('PRAGMA query_only = ON'),
    'a disk with space': () => file.database.exec('PRAGMA query_only = OFF'),
    retry: () => outbox.retryAcknowledgements(),
    'another process': () => {
      outbox = begin();
    },
  };
  for (const step of steps) {
    const [, version] = /^commit (.+)$/.exec(step) ?? [];
    const [, minutes] = /^(\d+) min$/.exec(step) ?? [];
    if (version !== undefined) {
      outbox.commit(
        lidarPlan(version === 'nothing' ? '1.0.0' : version, VERSIONS),
        file.state.memory(),
      );
    } else if (minutes !== undefined) await clock.pass(Number(minutes) * MINUTE);
    else await doing[step]?.();
  }
  return {
    events,
    deployed: running(file.state),
    open: open().length,
    due: outbox.due().length,
    untilNextDue: outbox.untilNextDue() / SECOND,
    changes: changes.count,
  };
}

const CONSUMER = Symbol('consumer');
const VERSIONS = ['1.0.0', '1.1.0', '1.2.0'];

function lineOf(event: PollerEvent): string {
  if ('times' in event) return `${event.kind} ${event.action.to} (${event.times})`;
  return 'action' in event ? `${event.kind} ${event.action.to}` : event.kind;
}

const COMMITTED = ['committed 1.1.0'];
const REPORTED =
  'done(): the outcome of action 1 of lidar was already reported as done; the first report is kept';
const DELIVERED = [...COMMITTED, 'delivered 1.1.0 (1)'];

describe('an outbox', () => {
  it.each<[string, Step[], Partial<Outcome>]>([
    [
      'has a committed action, which is due at once',
      ['commit 1.1.0'],
      { events: COMMITTED, open: 1, due: 1, deployed: '1.0.0 after nothing', changes: 0 },
    ],
    [
      'commits an action once if it is still wanted',
      ['commit 1.1.0', 'commit 1.1.0'],
      { events: COMMITTED },
    ],
    [
      'replaces an undelivered action [T18]',
      ['commit 1.1.0', 'commit 1.2.0'],
      { events: [...COMMITTED, 'superseded 1.1.0', 'committed 1.2.0'], open: 1 },
    ],
    [
      'ends an undelivered action that is no longer wanted',
      ['commit 1.1.0', 'commit nothing'],
      { events: [...COMMITTED, 'superseded 1.1.0'], open: 0, due: 0 },
    ],
    [
      'keeps an action that a consumer has [T55]',
      ['commit 1.1.0', 'deliver', 'commit 1.2.0'],
      { events: DELIVERED, open: 1, due: 0 },
    ],
    [
      'keeps an unacknowledged action with its consumer, and reports it after half an hour [D39]',
      ['commit 1.1.0', 'deliver', '29 min', 'deliver', '1 min', 'deliver', '60 min', 'deliver'],
      { events: [...DELIVERED, 'overdue 1.1.0'], open: 1, due: 0, untilNextDue: 18_000 },
    ],
    [
      'delivers an unacknowledged action again at once after its consumer has ended [D39]',
      ['commit 1.1.0', 'deliver', 'the consumer ends', 'deliver'],
      { events: [...DELIVERED, 'delivered 1.1.0 (2)'], due: 0, untilNextDue: 1800 },
    ],
    [
      'delivers an action of an ended process again at once [T55]',
      ['commit 1.1.0', 'deliver', 'another process', 'deliver'],
      { events: [...DELIVERED, 'delivered 1.1.0 (2)'] },
    ],
    [
      'records a done action, and has the machine planned again',
      ['commit 1.1.0', 'deliver', 'done'],
      {
        events: [...DELIVERED, 'acknowledged'],
        deployed: '1.1.0 after 1.0.0',
        open: 0,
        changes: 1,
      },
    ],
    [
      'records the first of two acknowledgements',
      ['commit 1.1.0', 'deliver', 'done', 'done'],
      { events: [...DELIVERED, 'acknowledged', REPORTED], deployed: '1.1.0 after 1.0.0', open: 0 },
    ],
    [
      'rejects a second acknowledgement while the first waits for the disk [D38]',
      ['commit 1.1.0', 'deliver', 'a full disk', 'done', 'done', 'a disk with space', 'retry'],
      { events: [...DELIVERED, 'state-unavailable', REPORTED, 'acknowledged'], open: 0 },
    ],
    [
      'accepts one late acknowledgement of a withdrawn action [D38]',
      ['commit 1.1.0', 'deliver', 'withdraw', 'done', 'done'],
      {
        events: [...DELIVERED, 'withdrawn 1.1.0', 'acknowledged', REPORTED],
        deployed: '1.1.0 after 1.0.0',
      },
    ],
    [
      'ends a delivered action when its release is reported as failed [D38]',
      ['commit 1.1.0', 'deliver', 'the release is reported as failed', 'done'],
      {
        events: [...DELIVERED, 'acknowledged', REPORTED.replace('as done', 'as failed')],
        deployed: '1.0.0 after nothing',
        open: 0,
      },
    ],
    [
      'delivers nothing to a target while the failure of its release waits for the disk [D38]',
      ['commit 1.1.0', 'a full disk', 'the release is reported as failed', '60 min'],
      { events: [...COMMITTED, 'state-unavailable'], open: 1, due: 0 },
    ],
    [
      'ends an action whose release failed (D13)',
      ['commit 1.1.0', 'deliver', 'broken release'],
      { events: [...DELIVERED, 'acknowledged'], deployed: '1.0.0 after nothing', open: 0 },
    ],
    [
      'keeps an action that the machine failed for half a minute',
      ['commit 1.1.0', 'deliver', 'broken machine'],
      { events: [...DELIVERED, 'acknowledged'], open: 1, due: 0, untilNextDue: 30 },
    ],
    [
      'delivers an action that the machine failed again after that',
      ['commit 1.1.0', 'deliver', 'broken machine', '1 min', 'deliver'],
      { events: [...DELIVERED, 'acknowledged', 'delivered 1.1.0 (2)'] },
    ],
    [
      'withdraws a delivered action, after which the deployed version is unknown',
      ['commit 1.1.0', 'deliver', 'withdraw'],
      {
        events: [...DELIVERED, 'withdrawn 1.1.0'],
        deployed: 'unknown after nothing',
        open: 0,
        changes: 1,
      },
    ],
    [
      'commits nothing on a full disk [T52]',
      ['a full disk', 'commit 1.1.0'],
      { events: ['state-unavailable'], open: 0 },
    ],
    [
      'delivers nothing on a full disk [T52]',
      ['commit 1.1.0', 'a full disk', 'deliver'],
      { events: [...COMMITTED, 'state-unavailable'], due: 1 },
    ],
    [
      'keeps an acknowledgement while the disk is full, and does not deliver the action again [T52]',
      ['commit 1.1.0', 'deliver', 'a full disk', 'done', '60 min'],
      { events: [...DELIVERED, 'state-unavailable'], open: 1, due: 0 },
    ],
    [
      'records an acknowledgement once the disk has space [T52]',
      ['commit 1.1.0', 'deliver', 'a full disk', 'done', 'a disk with space', 'retry'],
      {
        events: [...DELIVERED, 'state-unavailable', 'acknowledged'],
        deployed: '1.1.0 after 1.0.0',
      },
    ],
  ])('%s', async (_, steps, expected) => {
    expect(await played(steps)).toMatchObject(expected);
  });
});
