import { expect, it } from 'vitest';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';
import { allowedGroup, parseScope } from '../../src/server/tokens/scope.ts';

/** The group in which a registry counts a machine that reports `group` with a token of these scopes. */
async function countedIn(scopes: readonly string[], group: string | undefined): Promise<unknown> {
  const { address, catalogue } = await loopbackRegistry();
  const token = tokenFor(catalogue, ['machine:rover-7', ...scopes], 'rover');
  const reader = tokenFor(catalogue, ['fleet:read'], 'reader');
  const state = { ...reportedState(1, {}), group };
  const answer = await fetch(`${address}/v1/machines/rover-7/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(machineReport([1], { state })),
  });
  expect(answer.status).toBe(200);
  const headers = { authorization: `Bearer ${reader}` };
  const found = await fetch(`${address}/v1/fleet/machines`, { headers });
  return Object(await found.json()).machines[0].group;
}

it.each<[readonly string[], string | undefined, string | null]>([
  [[], 'canary', 'canary'],
  [[], undefined, null],
  [['group:office'], 'canary', 'office'],
  [['group:office'], undefined, 'office'],
  [['group:office', 'group:lab'], 'lab', 'lab'],
  [['group:office', 'group:lab'], 'canary', 'office'],
])('[D109] a token with the scopes %j, and the group %s: %s', async (scopes, group, counted) => {
  expect(await countedIn(scopes, group)).toBe(counted);
});

it.each([
  ['group:canary', true],
  ['group:a.B_c-9', true],
  ['group:', false],
  ['group:-canary', false],
  ['group:canary,lab', false],
  [`group:${'a'.repeat(63)}`, true],
  [`group:${'a'.repeat(64)}`, false],
])('%s is a scope: %s', (text, isScope) => {
  expect(parseScope(text).ok).toBe(isScope);
});

it('[D109] the scope of a machine names no group', () => {
  const scope = parseScope('machine:group');
  expect(scope.ok && allowedGroup([scope.value], 'lab')).toBe('lab');
});

it.each([
  ['a b', 422],
  ['', 422],
  ['x'.repeat(64), 422],
  [7, 422],
])('refuses the report of the group %j', async (group, status) => {
  const { address, catalogue } = await loopbackRegistry();
  const token = tokenFor(catalogue, ['machine:rover-7'], 'rover');
  const state = { ...reportedState(1, {}), group };
  const answer = await fetch(`${address}/v1/machines/rover-7/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...machineReport([1]), state }),
  });
  expect(answer.status).toBe(status);
});
