import { expect, it } from 'vitest';
import { tokenFor } from '../support/token.ts';
import { testRegistry } from './support/registry.ts';

const ALL = ['*'];
const LATER = '2026-11-21T01:03:03Z';
const LONG_AGO = '2020-01-01T00:00:00Z';

it.each<[string, readonly string[], { address?: string; release?: object }, unknown]>([
  ['its namespace', ['acme'], {}, 'started'],
  ['every namespace', ALL, {}, 'started'],
  ['no namespace', [], {}, undefined],
  ['another namespace', ['nimbus', 'acm', 'acme2'], {}, undefined],
  ['its namespace, and it has a time of now', ALL, { release: { published_at: LATER } }, 'started'],
  ['its namespace, and it is imported', ALL, { release: { published_at: LONG_AGO } }, undefined],
  ['its namespace, and it is yanked', ALL, { release: { yanked: 'broken' } }, undefined],
  ['its namespace, and it is for all machines', ALL, { address: '?all_at_once=true' }, undefined],
  ['its namespace, and another value is sent', ALL, { address: '?all_at_once=1' }, 'started'],
])('[D220] a release where the registry stages %s', async (_, staged, given, begun) => {
  const { address = '', release = {} } = given;
  const registry = testRegistry({ staged });
  const scopes = ['publish', 'yank', 'import', 'rollout', 'fleet:read'];
  const headers = { authorization: `Bearer ${tokenFor(registry.catalogue, scopes, 'all')}` };
  const path = '/v1/modules/acme/lidar/releases';
  const body = { version: '1.3.0', ...release };
  const { json } = await registry.ask('POST', `${path}${address}`, { body, headers });
  expect(json).toEqual({
    module_id: 'acme:lidar',
    version: '1.3.0',
    result: 'published',
    ...(begun === undefined ? {} : { rollout: begun }),
  });
  const rollout = await registry.ask('GET', `${path}/1.3.0/rollout`, { headers });
  expect(rollout.status).toBe(begun === undefined ? 404 : 200);
});

it('[D220] what was published stays as it is, and terms of a publication count before the default', async () => {
  const registry = testRegistry({ staged: ALL });
  const path = '/v1/modules/acme/lidar/releases';
  const publish = async (body: object, query = ''): Promise<unknown> =>
    (await registry.ask('POST', `${path}${query}`, { body })).json;
  const RESULT = { module_id: 'acme:lidar', version: '1.3.0' };
  expect(await publish({ version: '1.3.0' }, '?all_at_once=true')).toEqual({
    ...RESULT,
    result: 'published',
  });
  expect(await publish({ version: '1.3.0' })).toEqual({ ...RESULT, result: 'unchanged' });
  const own = { version: '1.4.0', rollout: { soak_ms: 7_200_000 } };
  expect(await publish(own)).toEqual({ ...RESULT, version: '1.4.0', result: 'published' });
  const again = { ...RESULT, version: '1.4.0', result: 'unchanged' };
  expect([await publish(own), await publish({ version: '1.4.0' })]).toEqual([again, again]);
});
