import { describe, expect, it } from 'vitest';
import type { PollerEvent, PollerOptions } from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import { CONFIGURATIONS, promptRegistry, racer, track, type Racer } from '../support/racing.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { thenable } from './support/thenable.ts';

/** A machine with 1.0.0 of two modules, whose 1.0.1 is published. */
function machine(options: Partial<Omit<PollerOptions, 'clock'>>): Racer {
  const registry = promptRegistry(() => 1);
  return racer(track(), { registries: [registry, registry], deployed: '1.0.0', ...options });
}

async function later(): Promise<never> {
  return await Promise.reject(new Error('not now'));
}

function kindsOf(events: readonly PollerEvent[]): string[] {
  return events.map(({ kind }) => kind);
}

/** The errors of all callback errors, in order. */
function callbackErrors(events: readonly PollerEvent[]): unknown[] {
  return events.flatMap((event) => (event.kind === 'callback-error' ? [event.error] : []));
}

it('a registryFor that throws once delays the next round by an interval, and nothing else', async () => {
  const asked: number[] = [];
  const clock = virtualClock();
  const prompt = promptRegistry(() => 1);
  const registry: PollableRegistry = {
    ...prompt,
    readAll: async (ids, signal) => {
      asked.push(clock.monotonic() / SECOND);
      return (await prompt.readAll?.(ids, signal)) ?? new Map();
    },
  };
  let isBroken = false;
  const { poller, events } = racer(track(), {
    clock,
    registries: [registry, registry],
    deployed: '1.0.1',
    random: () => 0.5,
    configuration: () => CONFIGURATIONS.lidar,
    registryFor: () => {
      if (isBroken) throw new Error('no registry');
      return registry;
    },
  });
  await clock.pass(80 * SECOND);
  isBroken = true;
  await clock.pass(20 * SECOND);
  isBroken = false;
  await clock.pass(100 * SECOND);
  await poller.stop();
  expect(asked).toEqual([31, 151]);
  // Of the round, and of the plan at that time.
  expect(kindsOf(events)).toEqual(['callback-error', 'callback-error']);
});

describe('a callback whose answer is needed at once', () => {
  // An unhandled rejection would fail the run.
  it.each<[string, object, string]>([
    ['isServerBusy', { isServerBusy: later }, 'true or false'],
    ['isServerBusy', { isServerBusy: () => thenable(new Error('not now')) }, 'true or false'],
    ['registryFor', { registryFor: later }, 'a registry'],
    ['random', { random: later }, 'a number'],
  ])('%s is a callback-error if it returns a Promise: %o', async (name, options, expected) => {
    const { clock, poller, events, deliveries } = machine(options);
    await clock.pass(SECOND);
    await poller.stop();
    const message = `${name}() returned a Promise, expected ${expected} at once`;
    expect(callbackErrors(events)).toEqual([new TypeError(message)]);
    expect(deliveries).toEqual([]);
  });
});

describe('isMaintenanceAllowed', () => {
  const NOT_NOW = new Error('not now');
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw NOT_NOW;
      },
    ],
    ['rejects', async () => await Promise.reject(NOT_NOW)],
  ])('that %s is a callback-error each time it is asked, and holds', async (_, ask) => {
    let asked = 0;
    const { clock, poller, events, deliveries } = machine({
      isMaintenanceAllowed: () => {
        asked++;
        return ask();
      },
    });
    await clock.pass(10 * MINUTE);
    await poller.stop();
    expect(asked).toBeGreaterThan(0);
    expect(callbackErrors(events)).toEqual(Array.from({ length: asked }, () => NOT_NOW));
    expect([deliveries, kindsOf(events).includes('held')]).toEqual([[], true]);
  });
});

describe('a configuration that is not what a reader returns as value', () => {
  const { machine: value, policy } = CONFIGURATIONS.lidar;
  it.each<[string, unknown, string]>([
    [
      'Results',
      { machine: { ok: true, value }, policy },
      'found a Result as configuration.machine, expected the value of readMachine()',
    ],
    [
      'one Result',
      { machine: value, policy: { ok: true, value: policy } },
      'found a Result as configuration.policy, expected the value of readUpdatePolicy()',
    ],
    ['nothing', undefined, 'found nothing as configuration, expected an object'],
  ])('but %s is reported once', async (_, returned, message) => {
    const { clock, poller, events } = machine({ configuration: () => returned as never });
    await clock.pass(HOUR);
    await poller.stop();
    const error = new TypeError(`configuration(): ${message}`);
    expect(events).toEqual([{ kind: 'configuration-unreadable', error }]);
  });
});
