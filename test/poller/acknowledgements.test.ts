import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import { Acknowledgements } from '../../src/poller/acknowledgements.ts';
import type { PollerEvent } from '../../src/poller/index.ts';
import { StateAccess } from '../../src/poller/state-access.ts';
import { claimed, commitOne, LIDAR, moduleNamed } from '../support/claimed.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

const { terms } = DEFAULT_POLICY;
const DONE = { outcome: { kind: 'done' }, failures: 0, terms } as const;

it('records each acknowledgement once if the handler of an event acknowledges again', () => {
  const { state, database } = claimed();
  const events: string[] = [];
  const polling = { clock: virtualClock(), random: () => 0 };
  const acknowledgements = new Acknowledgements(
    new StateAccess(state, ({ kind }) => events.push(kind)),
    polling,
    ({ kind }) => {
      events.push(kind);
      acknowledgements.flush();
    },
  );
  const actions = [LIDAR, moduleNamed('arm')].map((target) => commitOne(state, { target }));
  for (const { id } of actions) state.deliver(id, 0);
  database.exec('PRAGMA query_only = ON');
  for (const { id, target } of actions) {
    acknowledgements.add({ id, target, ...DONE });
  }
  database.exec('PRAGMA query_only = OFF');
  acknowledgements.flush();
  expect(events).toEqual(['state-unavailable', 'acknowledged', 'acknowledged']);
  expect(actions.map(({ target }) => acknowledgements.has(target))).toEqual([false, false]);
});

describe('[T61] an unknown id', () => {
  it('is reported once, up to a thousand of them, and waits for nothing', () => {
    const { state, database } = claimed();
    // A thousand writes that wait for the disk would take too long.
    database.exec('PRAGMA synchronous = OFF');
    const events: string[] = [];
    const onEvent = (event: PollerEvent): void => void events.push('id' in event ? event.id : '');
    const polling = { clock: virtualClock(), random: () => 0 };
    const access = new StateAccess(state, onEvent);
    const acknowledgements = new Acknowledgements(access, polling, onEvent);
    const ids = Array.from({ length: 1002 }, (_, number) => `other-${number + 1}`);
    for (const id of ['other-1', ...ids]) acknowledgements.add({ id, target: LIDAR, ...DONE });
    expect(events).toEqual(ids.slice(0, 1000));
    expect(acknowledgements.has(LIDAR)).toBe(false);
  });
});

describe('the time of the next delivery after a failure of the machine', () => {
  it.each([
    [0, 0, 30],
    [0, 1, 60],
    [1, 0.5, 90],
    // A delivery is never early.
    [0, 0.000_01, 30.001],
    [2, 0.5, 180],
    // From five to ten minutes, however often it failed.
    [4, 0, 300],
    [50, 1, 600],
  ])('after %i earlier ones, with the random number %d, is %i s later', (failures, random, s) => {
    const { state } = claimed();
    const clock = virtualClock();
    const access = new StateAccess(state, () => undefined);
    const acknowledgements = new Acknowledgements(
      access,
      { clock, random: () => random },
      () => undefined,
    );
    const { id, target } = commitOne(state);
    state.deliver(id, 0);
    const outcome = { kind: 'failed', reason: 'x', running: '1.0.0', blame: 'machine' } as const;
    acknowledgements.add({ id, target, outcome, failures, terms });
    expect((state.memory().open[0]?.notBefore ?? 0) - clock.now()).toBe(s * 1000);
  });
});

it('[D38] a failure that ends a delivered action is one of its release', () => {
  const { state } = claimed();
  const events: PollerEvent[] = [];
  const onEvent = (event: PollerEvent): void => void events.push(event);
  const polling = { clock: virtualClock(), random: () => 0 };
  const acknowledgements = new Acknowledgements(new StateAccess(state, onEvent), polling, onEvent);
  const { id, target, to } = commitOne(state);
  state.deliver(id, 0);
  const failure = { version: to, reason: 'too hot', running: '1.0.0' };
  acknowledgements.add({ target, failure, terms });
  const outcome = { kind: 'failed', reason: 'too hot', running: '1.0.0', blame: 'release' };
  expect(events).toEqual([{ kind: 'acknowledged', id, outcome }]);
});

it('a report that cannot be recorded is discarded, and delays no other', () => {
  const { state } = claimed();
  const events: string[] = [];
  const acknowledgements = new Acknowledgements(
    new StateAccess(state, ({ kind }) => events.push(kind)),
    { clock: virtualClock(), random: () => 0 },
    ({ kind }) => events.push(kind),
  );
  const lidar = commitOne(state);
  const arm = commitOne(state, { target: moduleNamed('arm') });
  for (const { id } of [lidar, arm]) state.deliver(id, 0);
  const unusable = { kind: 'failed', reason: 'x', running: {} as never, blame: 'machine' } as const;
  const report = { id: lidar.id, target: LIDAR, failures: 0, terms };
  expect(() => acknowledgements.add({ ...report, outcome: unusable })).toThrow(TypeError);
  acknowledgements.add({ id: arm.id, target: arm.target, ...DONE });
  expect([events, acknowledgements.has(LIDAR)]).toEqual([['acknowledged'], false]);
});
