import { expect, it } from 'vitest';
import { upgrade } from '../support/claimed.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { day, HOUR, MINUTE, SECOND } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import {
  CONFIGURATIONS,
  promptRegistry,
  racer,
  TARGETS,
  track,
  type Racer,
} from '../support/racing.ts';

function lidar(takesUp: 'at once' | 'later'): Racer {
  const registry = promptRegistry(() => 1);
  return racer(track(), {
    registries: [registry, registry],
    deployed: '1.0.0',
    takesUp,
    configuration: () => CONFIGURATIONS.lidar,
    isMaintenanceAllowed: async () => await Promise.resolve(true),
  });
}

it('[T61] one of two consumers that ask at the same time gets the action', async () => {
  const { clock, poller, events } = lidar('later');
  await clock.pass(0);
  const taken = [poller.deliveries().next(), poller.deliveries().next()];
  await clock.pass(10 * MINUTE);
  await poller.stop();
  const values = (await Promise.all(taken)).map(({ value }) => value?.action.to);
  expect(values.filter((to) => to !== undefined)).toEqual(['1.0.1']);
  expect(events.map(({ kind }) => kind)).toEqual(['committed', 'delivered']);
});

it('[T55] [T61] one of two consumers that ask at once gets an action of an earlier process', async () => {
  const { clock, poller, events, state } = lidar('later');
  const [action] = state.commit([upgrade({ target: TARGETS.lidar, to: '1.0.1' })], [], 1);
  state.deliver(String(action?.id), 1);
  await clock.pass(0);
  const taken = [poller.deliveries().next(), poller.deliveries().next()];
  await clock.pass(10 * MINUTE);
  await poller.stop();
  const values = (await Promise.all(taken)).map(({ value }) => value?.times);
  expect(values).toEqual([2, undefined]);
  expect(events.map(({ kind }) => kind)).toEqual(['delivered']);
});

it("[T50] yesterday's restart does not count as today's after the clock is set back to yesterday", async () => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    policy: { restart_ceiling: 2 },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.4' }] },
    intervalMs: HOUR,
    acknowledgeWithinMs: 30 * HOUR,
  });
  const done = async (): Promise<void> => await machine.deliveries.at(-1)?.done();
  await machine.pass(HOUR);
  await done();
  const yesterday = machine.clock.now();
  await machine.pass(25 * HOUR);
  machine.publish('acme:lidar', '1.2.5');
  await machine.pass(2 * HOUR);
  await done();
  machine.clock.set(yesterday);
  machine.publish('acme:lidar', '1.2.6');
  await machine.pass(2 * HOUR);
  expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.2.4', '1.2.5', '1.2.6']);
});

it('[T50] an action that the machine failed is not delayed by years after the clock is set back', async () => {
  const { clock, poller, deliveries } = lidar('at once');
  await clock.pass(0);
  await deliveries[0]?.failed({ reason: 'no space', running: '1.0.0', blame: 'machine' });
  clock.set(clock.now() - 10 * 365 * 24 * HOUR);
  await clock.pass(2 * MINUTE);
  await poller.stop();
  expect(deliveries.map(({ times }) => times)).toEqual([1, 2]);
});

it('[D39] an action that is released while another consumer asks is delivered to it at once', async () => {
  let takesMs = 0;
  const clock = virtualClock();
  const registry = promptRegistry(() => 1);
  const { poller } = racer(track(), {
    clock,
    registries: [registry, registry],
    deployed: '1.0.0',
    takesUp: 'later',
    configuration: () => CONFIGURATIONS.lidar,
    isMaintenanceAllowed: async () => {
      await clock.sleep(takesMs);
      return true;
    },
  });
  await clock.pass(0);
  takesMs = 2 * SECOND;
  const first = poller.deliveries();
  const taken = first.next();
  takesMs = 5 * SECOND;
  const second = poller.deliveries().next();
  takesMs = 0;
  await clock.pass(2 * SECOND);
  expect((await taken).value?.times).toBe(1);
  await first.return();
  await clock.pass(3 * SECOND);
  await poller.stop();
  expect((await second).value?.times).toBe(2);
});
