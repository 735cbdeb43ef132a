import { expect, it } from 'vitest';
import { fleetClient } from '../../src/registry/fleet-client.ts';
import { moduleId } from '../support/ask.ts';
import { answers, HOST, json } from '../../mocks/scripted-registry.ts';
import { testClock } from '../support/clock.ts';

const asked = answers();
const STATE = {
  module_id: 'acme:lidar',
  constraint: '1.*',
  deployed: '1.2.9',
  target: '1.2.9',
  decision: 'up-to-date',
  reason: null,
  stops: [],
  facts: null,
  platform: 'linux/arm64',
};
const GOOD = { state: STATE, machines: ['rover-7'] };

async function statesFrom(states: unknown): Promise<unknown> {
  asked.next(json({ states, next: null }));
  const url = { kind: 'modreg', url: new URL(HOST) } as const;
  const client = fleetClient(url, 'read reports of', { clock: testClock() });
  if (!client.ok) throw client.error;
  return await client.value.states(moduleId('acme:lidar')).catch((error: unknown) => {
    return String(error).replace(HOST, 'ADDRESS');
  });
}

it('the states of a module are what the registry answers', async () => {
  expect(await statesFrom([GOOD])).toEqual([GOOD]);
  const other = { ...GOOD, state: { ...STATE, facts: {}, constraint: null, reason: 'x' } };
  expect(await statesFrom([GOOD, other])).toEqual([GOOD, other]);
});

it.each([
  ['no object', 7],
  ['without machines', { state: STATE }],
  ['with machines that are no texts', { state: STATE, machines: [7] }],
  ['without a deployed version', { ...GOOD, state: { ...STATE, deployed: undefined } }],
  ['with a platform that is no text', { ...GOOD, state: { ...STATE, platform: null } }],
  ['with a constraint that is no text', { ...GOOD, state: { ...STATE, constraint: 1 } }],
  ['without stops', { ...GOOD, state: { ...STATE, stops: undefined } }],
  ['with facts that are no object', { ...GOOD, state: { ...STATE, facts: 'x' } }],
])('a state %s is an error, and not left out', async (_, state) => {
  expect(await statesFrom([GOOD, state])).toMatch(
    /^RegistryError: .*\/states\/1 is not a state with its machines$/,
  );
});

it('states that are no list are an error', async () => {
  expect(await statesFrom({})).toMatch(/^RegistryError: .*\/states is not a list$/);
});
