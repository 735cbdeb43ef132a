import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { cases } from '../support/runs.ts';
import { reportingMachine, tablesOf } from './support/reporting.ts';

/**
 * What happens to a machine and its registry. `renew`: the registry answers that the machine is an older copy. `lose`: the registry loses
 * all reports. `copy`, `restore`: of the machine (its queue and machine.db), or of the registry.
 */
const EVENTS = [
  'act',
  'send',
  'process',
  'renew',
  'lose',
  'copy machine',
  'restore machine',
  'copy registry',
  'restore registry',
] as const;
type Event = (typeof EVENTS)[number];

const REPORTED = ['machines', 'outcomes', 'placements', 'states', 'earlier_instances'];

/** The outcomes that the registry has after `events`, and those that the machine has, as action and time. */
async function after(
  events: readonly Event[],
): Promise<{ readonly registry: readonly string[]; readonly machine: readonly string[] }> {
  const registry = await loopbackRegistry();
  const machine = await reportingMachine({ registry });
  const path = fleetPath(registry.catalogue.path);
  let [machineCopy, registryCopy]: (undefined | (() => void))[] = [];
  const hasReported = (): boolean => machine.file.position().stateDigest !== undefined;
  const does: Readonly<Record<Event, () => unknown>> = {
    act: () => machine.act(1),
    send: async () => await machine.send(),
    process: () => machine.restart(),
    renew: () => machine.file.renew(),
    lose: () => hasReported() && emptied(path),
    'copy machine': () => (machineCopy = machine.copy()),
    'restore machine': () => {
      machineCopy?.();
      machine.restart();
    },
    'copy registry': () => hasReported() && (registryCopy = tablesOf(path, REPORTED)),
    'restore registry': () => registryCopy?.(),
  };
  machine.begin();
  for (const event of [...events, 'act', 'send'] as const) await does[event]();
  const file = new DatabaseSync(path, { readOnly: true });
  const rows = file.prepare('SELECT content FROM outcomes').all();
  file.close();
  const registered = rows.map(({ content }) => JSON.parse(String(content)));
  return {
    registry: registered.map(({ action, at }) => `${action} ${at}`).toSorted(),
    machine: machine.ended(),
  };
}

function emptied(path: string): void {
  const file = new DatabaseSync(path);
  for (const table of REPORTED) file.exec(`DELETE FROM ${table}`);
  file.close();
}

it.each<[string, readonly Event[]]>([
  ['the first outcome before the first report', ['act']],
  ['the first report before the first outcome', ['send', 'act']],
  ['an outcome of an earlier process', ['act', 'process']],
  ['a renewal before the first report', ['act', 'renew', 'act']],
  ['a renewal after it', ['act', 'send', 'renew', 'act']],
  ['a registry that lost it', ['act', 'send', 'lose']],
  ['a registry from before it', ['send', 'copy registry', 'act', 'send', 'restore registry']],
  [
    'a registry from before a renewal',
    ['act', 'send', 'copy registry', 'renew', 'send', 'restore registry'],
  ],
  [
    'a machine from before the first report',
    ['copy machine', 'act', 'send', 'restore machine', 'act'],
  ],
  ['a machine from after it', ['act', 'send', 'copy machine', 'act', 'send', 'restore machine']],
  [
    'a machine that went on further than it was',
    ['act', 'send', 'copy machine', 'act', 'send', 'restore machine', 'act', 'act'],
  ],
  [
    'a machine from before a renewal',
    ['act', 'send', 'copy machine', 'renew', 'act', 'send', 'restore machine', 'act'],
  ],
  [
    'both from before',
    [
      'act',
      'send',
      'copy machine',
      'copy registry',
      'act',
      'send',
      'restore machine',
      'restore registry',
    ],
  ],
])('[T560, T561, T562] each outcome counts once after %s', async (_what, events) => {
  const { registry, machine } = await after(events);
  expect(registry).toEqual([...new Set(registry)]);
  expect(registry).toEqual(expect.arrayContaining([...machine]));
});

it('[T560, T561, T562] each outcome counts once after anything', async () => {
  const orders = fc.array(fc.constantFrom(...EVENTS), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(orders, async (events) => {
      const { registry, machine } = await after(events);
      expect(registry).toEqual([...new Set(registry)]);
      expect(registry).toEqual(expect.arrayContaining([...machine]));
    }),
    cases(40),
  );
});

it('[T560] what had ended before the machine reports at all is not reported', async () => {
  const registry = await loopbackRegistry();
  const machine = await reportingMachine({ registry });
  machine.act(2);
  machine.begin();
  machine.act(1, 'failed');
  await machine.send();
  expect(await machine.counts()).toMatchObject({
    missing_outcomes: 0,
    outcomes_in_24h: [{ module_id: 'acme:lidar', version: '1.2.9', result: 'failed', outcomes: 1 }],
  });
});
