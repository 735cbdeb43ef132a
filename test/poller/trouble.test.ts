import { expect, it } from 'vitest';
import { day, MINUTE, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { CONFIGURATIONS, promptRegistry, racer, track } from '../support/racing.ts';

const MACHINE = { modules: [entry('acme:lidar', '1.*')] };

async function machineAfterRound(): Promise<Day> {
  const machine = await day({
    machine: MACHINE,
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
  });
  await machine.pass(MINUTE);
  return machine;
}

function trouble({ state }: Day): string | undefined {
  return state.poller().round?.trouble;
}

it('a round has the time at which it began', async () => {
  const { state } = await machineAfterRound();
  const at = Date.parse('2026-11-21T01:02:33Z');
  expect(state.poller().round).toEqual({ at, trouble: undefined });
});

it('a round says that the configuration cannot be read, until it can be again', async () => {
  const machine = await machineAfterRound();
  expect(trouble(machine)).toBeUndefined();
  machine.configure({ machine: { modules: 7 } });
  await machine.pass(MINUTE);
  expect(trouble(machine)).toBe(
    'the configuration cannot be read: found a number, expected a list of modules',
  );
  machine.configure({ machine: { modules: '\n' } });
  await machine.pass(MINUTE);
  expect(trouble(machine)).toBe(
    'the configuration cannot be read: found text, expected a list of modules',
  );
  machine.configure({ machine: MACHINE });
  await machine.pass(MINUTE);
  expect(trouble(machine)).toBeUndefined();
});

it('[D241] a round says that an unknown field holds everything, until it is gone', async () => {
  const field = { path: '/maintenence', suggestion: 'maintenance' };
  const configuration = CONFIGURATIONS.lidar;
  let unknownFields: readonly (typeof field)[] | undefined = [field];
  const registry = promptRegistry(() => 1);
  const { clock, state } = racer(track(), {
    registries: [registry, registry],
    configuration: () => {
      return { ...configuration, policy: { ...configuration.policy, unknownFields } };
    },
  });
  await clock.pass(MINUTE);
  expect(state.poller().round?.trouble).toBe(
    'every replacement is held: the policy has the unknown field /maintenence; did you mean maintenance ?',
  );
  unknownFields = undefined;
  await clock.pass(MINUTE);
  expect(state.poller().round?.trouble).toBeUndefined();
});

it.each<[string, unknown, string]>([
  [
    'an error of several lines',
    new Error('machine.json:\n3:1 \u001B[2Jno }'),
    String.raw`machine.json:\u{a}3:1 \u{1b}[2Jno }`,
  ],
  ['text instead of an error', 'gone\n', String.raw`gone\u{a}`],
  ['a long error', new Error('x'.repeat(201)), `${'x'.repeat(200)}…`],
])('why the configuration cannot be read is one escaped line: %s', async (_, thrown, expected) => {
  const registry = promptRegistry(() => 1);
  let isBroken = false;
  const { clock, state } = racer(track(), {
    registries: [registry, registry],
    configuration: () => {
      if (isBroken) throw thrown;
      return CONFIGURATIONS.lidar;
    },
  });
  await clock.pass(MINUTE);
  isBroken = true;
  await clock.pass(2 * MINUTE);
  expect(state.poller().round?.trouble).toBe(`the configuration cannot be read: ${expected}`);
});

it('an unreadable configuration comes before the trouble of registries', async () => {
  const machine = await machineAfterRound();
  machine.configure({ machine: { modules: 7 } });
  machine.registry.break({ kind: 'status', times: 3, status: 403 });
  await machine.pass(MINUTE);
  expect(trouble(machine)).toBe(
    'the configuration cannot be read: found a number, expected a list of modules, and 1 more',
  );
});
