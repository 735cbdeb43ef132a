import { expect, it } from 'vitest';
import { heldSince } from '../../src/host/held-since.ts';
import { day, HOUR, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const DAY = 24 * HOUR;
/** Open on the first of January. */
const CLOSED = { maintenance: [{ start: '0 2 1 1 *', duration: '1h', time_zone: 'UTC' }] };

/** A machine that replaces nothing now. */
async function closed(): Promise<Day> {
  return await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy: CLOSED,
    deployed: { acme_lidar: '1.0.0' },
    releases: { 'acme:lidar': [{ version: '1.0.0' }] },
    intervalMs: HOUR,
  });
}

/** For how many whole days a replacement has been held. */
function held({ state, clock }: Day): number | undefined {
  const since = heldSince(state.history({ kind: 'module', name: 'acme_lidar' }));
  return since === undefined ? undefined : Math.floor((clock.now() - since) / DAY);
}

it('[T333] a hold goes on when a newer release is published, for another reason, and after a restart', async () => {
  const machine = await closed();
  await machine.pass(DAY);
  expect(held(machine)).toBeUndefined();
  machine.publish('acme:lidar', '1.1.0');
  await machine.pass(3 * DAY + HOUR);
  expect(held(machine)).toBe(3);
  machine.publish('acme:lidar', '1.2.0');
  await machine.restart();
  await machine.pass(2 * DAY);
  machine.configure({ policy: { ...CLOSED, restart_ceiling: 0 } });
  await machine.pass(2 * DAY);
  expect(held(machine)).toBe(7);
});

it('[T333] a hold goes on after an attempt that did not take place', async () => {
  const machine = await closed();
  machine.publish('acme:lidar', '1.1.0');
  await machine.pass(3 * DAY);
  machine.configure({ policy: {} });
  await machine.pass(2 * HOUR);
  machine.configure({ policy: CLOSED });
  await machine.deliveries
    .shift()
    ?.failed({ reason: 'no disk', blame: 'machine', running: '1.0.0' });
  await machine.pass(DAY);
  expect(held(machine)).toBe(4);
});

it('[T333] a hold ends with the replacement, and another begins with the next one', async () => {
  const machine = await closed();
  machine.publish('acme:lidar', '1.1.0');
  await machine.pass(3 * DAY);
  machine.configure({ policy: {} });
  await machine.pass(2 * HOUR);
  machine.configure({ policy: CLOSED });
  machine.publish('acme:lidar', '1.2.0');
  // The next release is known before the replacement is done.
  await machine.pass(2 * HOUR);
  await machine.deliveries.shift()?.done();
  await machine.pass(DAY + 2 * HOUR);
  expect(held(machine)).toBe(1);
});

it('[T333] a hold ends when nothing is to be replaced any more', async () => {
  const machine = await closed();
  machine.publish('acme:lidar', '1.1.0');
  await machine.pass(3 * DAY);
  machine.configure({ machine: { modules: [entry('acme:lidar', '1.0.0')] } });
  await machine.pass(2 * HOUR);
  expect(held(machine)).toBeUndefined();
  machine.configure({ machine: { modules: [entry('acme:lidar', '1.*')] } });
  await machine.pass(DAY + 2 * HOUR);
  expect(held(machine)).toBe(1);
});
