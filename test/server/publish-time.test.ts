import { expect, it } from 'vitest';
import { testRegistry } from './support/registry.ts';
import { tokenFor } from '../support/token.ts';

const LIDAR = '/v1/modules/acme/lidar';
const RELEASES = '/v1/modules/acme/lidar/releases';

it.each([
  ['2026-11-21T00:57:03Z', 201],
  ['2026-11-21T01:07:03Z', 201],
  ['2026-11-21T00:57:02.999Z', 422],
  ['2026-11-21T01:07:03.001Z', 422],
  ['0000-01-01T00:00:00Z', 422],
  ['2030-01-01T00:00:00Z', 422],
])('[D34] a publish time of %s is answered with %i', async (published_at, status) => {
  const registry = testRegistry();
  const body = { version: '1.0.0', published_at };
  const answer = await registry.ask('POST', RELEASES, { body });
  expect(answer.status).toBe(status);
  if (status === 201) return;
  const detail = `/published_at: ${published_at} is more than five minutes from the registry's clock, 2026-11-21T01:02:03Z, and the token does not have the scope import:acme`;
  expect(answer.json).toMatchObject({ detail, errors: [detail] });
  expect((await registry.ask('GET', LIDAR)).status).toBe(404);
});

it.each<[readonly string[], number]>([
  [['import'], 201],
  [['import:acme'], 201],
  [['publish', 'import:acme'], 201],
  [['publish', 'import:nimbus'], 422],
  [['publish', 'yank', 'logs:read'], 422],
])(
  '[D34] with the scopes %j, a release of long ago is answered with %i',
  async (scopes, status) => {
    const registry = testRegistry();
    const token = tokenFor(registry.catalogue, scopes, 'mirror');
    const headers = { authorization: `Bearer ${token}` };
    const body = { version: '1.0.0', published_at: '2020-01-01T00:00:00Z' };
    expect((await registry.ask('POST', RELEASES, { body, headers })).status).toBe(status);
  },
);
