import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import { Acknowledgements } from '../../src/poller/acknowledgements.ts';
import { StateAccess } from '../../src/poller/state-access.ts';
import { claimed, commitOne, LIDAR, moduleNamed } from '../support/claimed.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

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
  const { terms } = DEFAULT_POLICY;
  const actions = [LIDAR, moduleNamed('arm')].map((target) => commitOne(state, { target }));
  for (const { id } of actions) state.deliver(id, 0);
  database.exec('PRAGMA query_only = ON');
  for (const { id, target } of actions) {
    acknowledgements.add({ id, target, outcome: { kind: 'done' }, failures: 0, terms });
  }
  database.exec('PRAGMA query_only = OFF');
  acknowledgements.flush();
  expect(events).toEqual(['state-unavailable', 'acknowledged', 'acknowledged']);
});
