import type { Delivery, PollerEvent } from '../../../src/poller/index.ts';
import { moduleSetups } from '../../../src/poller/module-setup.ts';
import { Outbox } from '../../../src/poller/outbox.ts';
import { StateAccess } from '../../../src/poller/state-access.ts';
import { Wakeup } from '../../../src/poller/wakeup.ts';
import { claimed, LIDAR, running } from '../../support/claimed.ts';
import { HOUR, MINUTE, SECOND } from '../../support/day.ts';
import { lidarPlan } from '../../support/open-actions.ts';
import { entry } from '../../support/planned.ts';
import { configurationOf } from '../../support/racing.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';

/** A step of a machine that has 1.0.0 of a lidar deployed. */
export type Step =
  /** A plan that wants this version, or nothing. */
  | `commit ${string}`
  | 'deliver'
  | 'done'
  | 'broken release'
  | 'broken machine'
  | 'withdraw'
  | 'the consumer ends'
  | 'the release is reported as failed'
  | 'an older release is reported as failed'
  | 'a failure with a long address'
  | `the earlier consumer: ${'done' | 'broken release'}`
  | 'a full disk'
  | 'a disk with space'
  | 'a disk without a free page'
  | 'retry'
  | 'another process'
  | 'the policy is edited'
  | 'the policy refuses another version'
  | 'the entry is edited'
  | `${number} min`;

/** The events, and the machine after the steps. */
export interface Outcome {
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

/** Plays the steps on a new outbox. Returns what happened, and how the machine is then. */
export async function played(steps: readonly Step[]): Promise<Outcome> {
  const clock = virtualClock();
  const file = claimed();
  file.state.report(LIDAR, '1.0.0', clock.now());
  const events: string[] = [];
  const onEvent = (event: PollerEvent): void => void events.push(lineOf(event));
  const state = new StateAccess(file.state, onEvent);
  const changes = new Wakeup(clock);
  const polling = { clock, random: () => 0, intervalMs: 5 * HOUR };
  let current = configurationOf(ENTRY);
  const configuration = {
    get current() {
      return current;
    },
  };
  const setupOf = moduleSetups({ path: 'machine.db', environment: {}, machineId: undefined });
  const begin = (): Outbox =>
    new Outbox({ state, changes, polling, configuration, onEvent, setupOf });
  let outbox = begin();
  let delivery: Omit<Delivery, 'mayProceed'> | undefined;
  let earlier: typeof delivery;
  const open = () => file.state.memory().open;
  const accepted = async (report: Promise<void> | undefined): Promise<void> =>
    await report?.catch(({ message }: Error) => {
      events.push(message.replace(/[\da-f]{12}-/, ''));
    });
  const doing: Readonly<Record<string, () => Promise<void> | void>> = {
    deliver: () => {
      const [due] = outbox.due();
      const next = due && outbox.deliver(due, { consumer: CONSUMER, rollback: undefined });
      if (next) [earlier, delivery] = [delivery, next];
    },
    done: async () => await accepted(delivery?.done()),
    'the earlier consumer: done': async () => await accepted(earlier?.done()),
    'the earlier consumer: broken release': async () => await accepted(earlier?.failed(BROKEN)),
    'the consumer ends': () => outbox.release(CONSUMER),
    'the release is reported as failed': () =>
      outbox.reportFailure(LIDAR, { version: '1.1.0', reason: 'it crashed', running: '1.0.0' }),
    'an older release is reported as failed': () =>
      outbox.reportFailure(LIDAR, { version: '0.9.0', reason: 'it crashed', running: undefined }),
    'broken release': async () => await accepted(delivery?.failed(BROKEN)),
    'broken machine': async () => await delivery?.failed({ ...BROKEN, blame: 'machine' }),
    'a failure with a long address': async () =>
      await delivery?.failed({ ...BROKEN, running: LONG_ADDRESS, blame: 'machine' }),
    withdraw: () => {
      for (const one of open()) outbox.withdraw(one);
    },
    'a full disk': () => file.database.exec('PRAGMA query_only = ON'),
    'a disk with space': () =>
      file.database.exec('PRAGMA query_only = OFF; PRAGMA max_page_count = 1000'),
    // What fits into the pages of the file can still be written.
    'a disk without a free page': () => file.database.exec('PRAGMA max_page_count = 1'),
    retry: () => outbox.retryAcknowledgements(),
    'the policy is edited': () => {
      const { policy } = current;
      const terms = { ...policy.terms, requireDigest: !policy.terms.requireDigest };
      current = { ...current, policy: { ...policy, terms } };
    },
    'the policy refuses another version': () => {
      const { policy } = current;
      const refused = policy.terms.refuse?.get('*') ?? [];
      const major = { kind: 'major', major: refused.length + 7 } as const;
      const terms = {
        ...policy.terms,
        refuse: new Map([['*', [...refused, { versions: major }]]]),
      };
      current = { ...current, policy: { ...policy, terms } };
    },
    'the entry is edited': () => {
      const edited = { ...ENTRY, env: { RATE: '10' } };
      current = { ...current, machine: configurationOf(edited).machine };
    },
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
const ENTRY = entry('acme:lidar', '1.*', 'lidar');
const BROKEN = { reason: 'no points', running: '1.0.0', blame: 'release' } as const;
const LONG_ADDRESS = `https://cdn.example/${'x'.repeat(2000)}`;
const VERSIONS = ['1.0.0', '1.1.0', '1.2.0'];

function lineOf(event: PollerEvent): string {
  if ('times' in event) return `${event.kind} ${event.action.to} (${event.times})`;
  return 'action' in event ? `${event.kind} ${event.action.to}` : event.kind;
}

export const COMMITTED: readonly string[] = ['committed 1.1.0'];
/** The message of a second report. */
export const REPORTED: string =
  'done(): the outcome of action 1 of lidar was already reported as done; the first report is kept';
export const DELIVERED: readonly string[] = [...COMMITTED, 'delivered 1.1.0 (1)'];
